/*
 * For a function that stays one of its own: a compiler that sees the whole program dissolves it in
 * its callers, where 8-bit controllers pay for 32-bit arithmetic and for too few registers.
 */
#ifndef BRIDGE_OUTLINE_H
#define BRIDGE_OUTLINE_H

#ifdef __GNUC__
#define BRIDGE_OUTLINE __attribute__((noinline))
#else
#define BRIDGE_OUTLINE
#endif

/* A pointer that is held in a register from here on: of a context whose address is known, each
   access would spell it out again. */
#ifdef __AVR__
#define BRIDGE_HELD(pointer)                                                                       \
    __extension__({                                                                                \
        __typeof__(pointer) held = (pointer);                                                      \
        __asm__("" : "+r"(held));                                                                  \
        held;                                                                                      \
    })
#else
#define BRIDGE_HELD(pointer) (pointer)
#endif

#endif
