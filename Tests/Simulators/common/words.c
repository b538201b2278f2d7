#include "words.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool word_number(const char *word, uint64_t most, uint64_t *number) {
    char *end = NULL;
    int base = strncmp(word, "0x", 2) == 0 ? 16 : 10;
    errno = 0;
    *number = strtoull(word, &end, base);
    return isdigit((unsigned char)word[0]) && errno == 0 && *end == '\0' && *number <= most;
}

bool word_choice(const char *word, const char *const *choices, size_t count, size_t *choice) {
    for (*choice = 0; *choice < count; (*choice)++) {
        if (strcmp(word, choices[*choice]) == 0) {
            return true;
        }
    }
    return false;
}

bool word_switch(const char *word, bool *on) {
    static const char *const choices[] = {"off", "on"};
    size_t choice = 0;
    bool is_one = word_choice(word, choices, 2, &choice);
    *on = choice == 1;
    return is_one;
}

bool word_is_hex(const char *word) {
    size_t length = strlen(word);
    return length != 0 && length % 2 == 0 && strspn(word, "0123456789ABCDEFabcdef") == length;
}

uint8_t word_hex_byte(const char *digits) {
    char text[] = {digits[0], digits[1], '\0'};
    return (uint8_t)strtoul(text, NULL, 16);
}

bool words_flip_bits(char *const *words, uint8_t *bytes, uint64_t size) {
    uint64_t index = 0;
    uint64_t bits = 0;
    if (!word_number(words[0], size - 1, &index) || !word_number(words[1], UINT8_MAX, &bits)) {
        return false;
    }
    bytes[index] ^= (uint8_t)bits;
    return true;
}

bool words_misreading(char *const *words, struct misreading *misreading) {
    uint64_t bits = 0;
    if (!word_number(words[0], UINT32_MAX, &misreading->after) ||
        !word_number(words[1], UINT8_MAX, &bits)) {
        return false;
    }
    misreading->bits = (uint8_t)bits;
    return true;
}
