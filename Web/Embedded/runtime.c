// The parts of the C library and of the compiler's library that code without an operating system
// requires: memory, strings and 128-bit products. The page provides the other functions (wasm.js).

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *__stack_chk_guard = (void *)0x5a5a5a5a;

_Noreturn void __stack_chk_fail(void);
_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }

// ---- Memory ------------------------------------------------------------------------------------

// Each block has a size that is a power of two, and a header that contains the exponent. Free
// blocks of the same size form a list. Blocks are never split or merged: a page opens few files.

enum { HEADER = 16, EXPONENT_LEAST = 4, EXPONENT_MOST = 31, PAGE_BITS = 16 };

extern unsigned char __heap_base;

struct block {
    struct block *next;
};

static uintptr_t heap_end;
static struct block *free_blocks[EXPONENT_MOST + 1];

static unsigned exponent_of(size_t size) {
    unsigned exponent = EXPONENT_LEAST;
    while (exponent < EXPONENT_MOST && ((size_t)1 << exponent) < size) {
        exponent++;
    }
    return exponent;
}

static bool grow(uintptr_t end) {
    uintptr_t have = (uintptr_t)__builtin_wasm_memory_size(0) << PAGE_BITS;
    if (end <= have) {
        return true;
    }
    uintptr_t missing = end - have;
    uintptr_t pages = ((missing > have / 2 ? missing : have / 2) >> PAGE_BITS) + 1;
    return __builtin_wasm_memory_grow(0, pages) != (size_t)-1;
}

void *malloc(size_t size);
void *malloc(size_t size) {
    unsigned exponent = exponent_of(size);
    struct block *block = free_blocks[exponent];
    if (block != NULL) {
        free_blocks[exponent] = block->next;
        return block;
    }
    if (heap_end == 0) {
        heap_end = ((uintptr_t)&__heap_base + HEADER - 1) & ~(uintptr_t)(HEADER - 1);
    }
    uintptr_t begin = heap_end + HEADER;
    if (exponent == EXPONENT_MOST || !grow(begin + ((uintptr_t)1 << exponent))) {
        __builtin_trap();
    }
    *(unsigned *)heap_end = exponent;
    heap_end = begin + ((uintptr_t)1 << exponent);
    return (void *)begin;
}

void free(void *memory);
void free(void *memory) {
    if (memory == NULL) {
        return;
    }
    struct block *block = memory;
    unsigned exponent = *(unsigned *)((uintptr_t)memory - HEADER);
    block->next = free_blocks[exponent];
    free_blocks[exponent] = block;
}

int posix_memalign(void **memory, size_t alignment, size_t size);
int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment > HEADER) {
        __builtin_trap();
    }
    *memory = malloc(size);
    return 0;
}

// The seed of hashes. A constant seed is sufficient, because a file with colliding keys can slow
// down only the page that opens it.
void arc4random_buf(void *bytes, size_t count);
void arc4random_buf(void *bytes, size_t count) { memset(bytes, 0x55, count); }

// ---- Strings -----------------------------------------------------------------------------------

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
    return __builtin_memcpy(to, from, count);
}

void *memmove(void *to, const void *from, size_t count) {
    return __builtin_memmove(to, from, count);
}

void *memset(void *to, int value, size_t count) { return __builtin_memset(to, value, count); }

int memcmp(const void *left, const void *right, size_t count) {
    const unsigned char *first = left;
    const unsigned char *second = right;
    for (size_t index = 0; index < count; index++) {
        if (first[index] != second[index]) {
            return first[index] - second[index];
        }
    }
    return 0;
}

size_t strlen(const char *text) {
    size_t count = 0;
    while (text[count] != 0) {
        count++;
    }
    return count;
}

int strcmp(const char *left, const char *right) {
    while (*left != 0 && *left == *right) {
        left++;
        right++;
    }
    return (unsigned char)*left - (unsigned char)*right;
}

// ---- Unicode -----------------------------------------------------------------------------------

// The normalization tables would be a fifteenth of the data that a browser loads. Without these
// tables, all text counts as normalized: strings are equal if they consist of the same code points.

uint16_t _swift_stdlib_getNormData(uint32_t scalar);
uint16_t _swift_stdlib_getNormData(uint32_t scalar) {
    (void)scalar;
    return 0;
}

uint32_t _swift_stdlib_getComposition(uint32_t first, uint32_t second);
uint32_t _swift_stdlib_getComposition(uint32_t first, uint32_t second) {
    (void)first;
    (void)second;
    return UINT32_MAX;
}

uint32_t _swift_stdlib_getDecompositionEntry(uint32_t scalar);
uint32_t _swift_stdlib_getDecompositionEntry(uint32_t scalar) {
    (void)scalar;
    return 0;
}

extern const uint8_t *const _swift_stdlib_nfd_decompositions;
const uint8_t *const _swift_stdlib_nfd_decompositions = NULL;

// ---- Numbers -----------------------------------------------------------------------------------

double round(double value);
double round(double value) {
    double whole = __builtin_trunc(value);
    bool isAway = __builtin_fabs(value - whole) >= 0.5;
    return isAway ? whole + __builtin_copysign(1, value) : whole;
}

// The product of two 128-bit numbers modulo 2^128.
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

wide __multi3(wide left, wide right);
wide __multi3(wide left, wide right) {
    uint64_t a = (uint64_t)left;
    uint64_t b = (uint64_t)right;
    uint64_t a0 = (uint32_t)a;
    uint64_t a1 = a >> 32;
    uint64_t b0 = (uint32_t)b;
    uint64_t b1 = b >> 32;
    uint64_t middle = (a0 * b0 >> 32) + (uint32_t)(a0 * b1) + (uint32_t)(a1 * b0);
    uint64_t low = middle << 32 | (uint32_t)(a0 * b0);
    uint64_t high = a1 * b1 + (a0 * b1 >> 32) + (a1 * b0 >> 32) + (middle >> 32);
    high += (uint64_t)((unsigned_wide)left >> 64) * b + a * (uint64_t)((unsigned_wide)right >> 64);
    return (wide)((unsigned_wide)high << 64 | low);
}
