/* The input of the fuzzers of the firmware core, whose bytes are taken one after the other. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "Tests/ModelBoard/promise.h"

/** The input of a fuzzer: the bytes with which libFuzzer calls LLVMFuzzerTestOneInput. */
struct input {
    const uint8_t *bytes;
    size_t left;
};

/** The next byte, 0 behind the last. */
static inline uint8_t take(struct input *input) {
    if (input->left == 0) {
        return 0;
    }
    input->left--;
    return *input->bytes++;
}

static inline uint16_t take_16(struct input *input) {
    uint16_t low = take(input);
    return (uint16_t)(low | take(input) << 8);
}

/** For libFuzzer, which declares it nowhere. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#endif
