/* Interrupts in assembler, which save only the registers that they use. A compiled interrupt saves
   three more, and uses registers that an expression does not need. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/** Begins the function of a vector that consists of assembler: no register is saved, and the
    function must end in RETI. */
#define INTERRUPT(vector)                                                                          \
    __attribute__((OS_main, used, externally_visible)) void vector(void);                          \
    void vector(void)

/** A number in a text of assembler. */
#define NUMBER(value) NUMBER_TEXT(value)
#define NUMBER_TEXT(value) #value

#endif
