/* Macros for interrupts in assembler, which save only the registers that they use. A compiled
   interrupt saves three more registers, and also uses registers that its expressions do not
   need. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/** Begins the definition of an interrupt handler in assembler. The compiler does not save
    registers, and the handler must end with RETI. */
#define INTERRUPT(vector)                                                                          \
    __attribute__((OS_main, used, externally_visible)) void vector(void);                          \
    void vector(void)

/** Converts a number to text for assembler code. */
#define NUMBER(value) NUMBER_TEXT(value)
#define NUMBER_TEXT(value) #value

#endif
