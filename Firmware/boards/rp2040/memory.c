/* The functions that the compiler calls to copy and to clear, with the names of Arm's run-time ABI
   (RTABI 4.3.4). A number in the name of a function is the alignment that callers guarantee. */
#include <stddef.h>
#include <stdint.h>

void __aeabi_memcpy(void *to, const void *from, size_t size);
void __aeabi_memcpy4(void *to, const void *from, size_t size);
void __aeabi_memcpy8(void *to, const void *from, size_t size);
void __aeabi_memset(void *to, size_t size, int value);
void __aeabi_memclr(void *to, size_t size);
void __aeabi_memclr4(void *to, size_t size);
void __aeabi_memclr8(void *to, size_t size);

void __aeabi_memcpy(void *to, const void *from, size_t size) {
    uint8_t *target = to;
    const uint8_t *source = from;
    for (; size; size--) {
        *target++ = *source++;
    }
}

void __aeabi_memcpy4(void *to, const void *from, size_t size) {
    uint32_t *target = to;
    const uint32_t *source = from;
    for (; size >= sizeof *target; size -= sizeof *target) {
        *target++ = *source++;
    }
    __aeabi_memcpy(target, source, size);
}

void __aeabi_memcpy8(void *to, const void *from, size_t size) { __aeabi_memcpy4(to, from, size); }

void __aeabi_memset(void *to, size_t size, int value) {
    for (uint8_t *target = to; size; size--) {
        *target++ = (uint8_t)value;
    }
}

void __aeabi_memclr(void *to, size_t size) { __aeabi_memset(to, size, 0); }

void __aeabi_memclr4(void *to, size_t size) {
    uint32_t *target = to;
    for (; size >= sizeof *target; size -= sizeof *target) {
        *target++ = 0;
    }
    __aeabi_memclr(target, size);
}

void __aeabi_memclr8(void *to, size_t size) { __aeabi_memclr4(to, size); }
