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

/*
 * A pointer of whose value the compiler forgets what it knows: an AVR spends four bytes on each
 * access to a known address, and two beside a pointer register.
 */
#ifdef __AVR__
#define BRIDGE_HELD(pointer) ((__typeof__(pointer))bridge_held((const void *)(pointer)))
static inline void *bridge_held(const void *pointer) {
    __asm__("" : "+r"(pointer));
    return (void *)pointer;
}
#else
#define BRIDGE_HELD(pointer) (pointer)
#endif

#endif
