/* The functions that the vector table names. Others need no entry: their interrupts are off. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

/** Starts timed writes that are due. Neither this nor that of the bus interrupts the other. */
void timer_interrupt(void);

/** Wakes the processor from its sleep, again and again. */
void beat_interrupt(void);

/** Moves the bus on, from one transfer to the next. */
void i2c_interrupt(void);

/** Serves the USB controller. Those of timer and bus interrupt it. */
void usb_interrupt(void);

/** Does what the loop has asked of the USB controller, in place of usb_interrupt: neither
   interrupts the other. */
void service_interrupt(void);

#endif
