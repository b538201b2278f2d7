/* The function that libFuzzer calls in a fuzzer of the host. FUZZER is the name of the fuzzer. */
#include <stddef.h>
#include <stdint.h>

int FUZZER(const uint8_t *bytes, size_t count);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) { return FUZZER(bytes, count); }
