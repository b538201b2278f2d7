/* Interrupts in assembler, which save only the registers that they use. A compiled interrupt saves
   three more, and uses registers that the expressions do not need. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/** Begins the function of a vector that consists of assembler. It saves no registers, and the
    function must end in RETI. */
#define INTERRUPT(vector)                                                                          \
    __attribute__((OS_main, used, externally_visible)) void vector(void);                          \
    void vector(void)

/** A number as text in assembler. */
#define NUMBER(value) NUMBER_TEXT(value)
#define NUMBER_TEXT(value) #value

#endif
