/* Interrupts in assembler, which save what they use. The compiler's save three registers more, and
   those that an expression could do without. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/** Begins the function of a vector that consists of assembler: nothing is saved, and it must end in
    RETI. */
#define INTERRUPT(vector)                                                                          \
    __attribute__((OS_main, used, externally_visible)) void vector(void);                          \
    void vector(void)

/** A number in the text of assembler. */
#define NUMBER(value) NUMBER_TEXT(value)
#define NUMBER_TEXT(value) #value

#endif
