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

#endif
