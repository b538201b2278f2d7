/*
 * For compilers that see the whole program at once: what they find out there, 8-bit controllers pay
 * for.
 */
#ifndef BRIDGE_OUTLINE_H
#define BRIDGE_OUTLINE_H

/** A function that stays one of its own: dissolved in its callers, 32-bit arithmetic would have too
    few registers. */
#ifdef __GNUC__
#define BRIDGE_OUTLINE __attribute__((noinline))
#else
#define BRIDGE_OUTLINE
#endif

/** Its opposite, for what an interrupt does: one that calls a function saves all registers. */
#ifdef __GNUC__
#define BRIDGE_INLINE static inline __attribute__((always_inline))
#else
#define BRIDGE_INLINE static inline
#endif

/** A pointer held in a register: as a known constant it would cost an absolute address for each
    access to a field, twice the size of one relative to a pointer. */
#ifdef __AVR__
#define BRIDGE_HELD(pointer)                                                                       \
    __extension__({                                                                                \
        __typeof__(pointer) held = (pointer);                                                      \
        __asm__("" : "+r"(held));                                                                  \
        if (!held) {                                                                               \
            __builtin_unreachable();                                                               \
        }                                                                                          \
        held;                                                                                      \
    })
#else
#define BRIDGE_HELD(pointer) (pointer)
#endif

#endif
