/* What the fuzzers of the firmware core share: bytes taken one after the other. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "Tests/ModelBoard/promise.h"

/** What a fuzzer is given; libFuzzer calls the target's LLVMFuzzerTestOneInput with its bytes. */
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
