/*
 * Critical sections for a Cortex-M (core/support/critical.h), in which all interrupts are disabled.
 * The compiler option `-include` makes the compiler read this header first. For other processors,
 * the macros stay undefined, which is correct for a program without interrupts.
 */
#ifndef TEMPLATE_CRITICAL_H
#define TEMPLATE_CRITICAL_H

#ifdef __arm__

#include <stdint.h>

#define BRIDGE_CRITICAL_ENTER                                                                      \
    {                                                                                              \
        uint32_t primask;                                                                          \
        __asm__ volatile("mrs %0, primask \n cpsid i" : "=r"(primask)::"memory");

#define BRIDGE_CRITICAL_EXIT                                                                       \
    __asm__ volatile("msr primask, %0" ::"r"(primask) : "memory");                                 \
    }

#endif

#endif
