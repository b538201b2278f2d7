// The list of all programs, and the vectors that they share.
#include "program.h"

extern const struct program first_program[], end_of_programs[];

__attribute__((section(".head"), used)) struct programs programs = {(uint32_t)first_program,
                                                                    (uint32_t)end_of_programs, 0};

static void fail(void) { CHECK(false); }

__attribute__((aligned(256))) static void (*vectors[EXCEPTIONS])(void);

void handle(uint32_t exception, void (*handler)(void)) {
    if (VTOR != (uint32_t)vectors) {
        for (uint32_t index = 0; index < EXCEPTIONS; index++) {
            vectors[index] = fail;
        }
        VTOR = (uint32_t)vectors;
    }
    vectors[exception] = handler;
}
