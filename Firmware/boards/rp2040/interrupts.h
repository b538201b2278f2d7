/* The interrupt handlers in the vector table. All other interrupts are disabled and need no entry
   in the table. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

/** Starts timed writes that are due. This interrupt and i2c_interrupt have the same priority. */
void timer_interrupt(void);

/** Wakes the processor from its sleep at regular intervals. */
void beat_interrupt(void);

/** Ends a transfer, and starts the next one. */
void i2c_interrupt(void);

/** Serves the USB controller. The interrupts of the timer and the bus have a higher priority. */
void usb_interrupt(void);

/** Executes the loop's requests to the USB controller, at the priority of usb_interrupt. */
void service_interrupt(void);

#endif
