// Functions that parse the words of a command: numbers, choices and bytes.
#ifndef WORDS_H
#define WORDS_H

#include "misreading.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns true if the word is a decimal number, or a hexadecimal number after 0x, that does not
// exceed `most`.
bool word_number(const char *word, uint64_t most, uint64_t *number);

// Returns true if the word is one of `count` choices, and stores its index.
bool word_choice(const char *word, const char *const *choices, size_t count, size_t *choice);

// Returns true if the word is "off" or "on".
bool word_switch(const char *word, bool *on);

// Returns true if the word consists of bytes of two hexadecimal digits each.
bool word_is_hex(const char *word);

// Returns the byte that the first two digits of such a word represent.
uint8_t word_hex_byte(const char *digits);

// Parses two words, an index below `size` and a mask, and inverts the bits of the mask in the byte
// with that index.
bool words_flip_bits(char *const *words, uint8_t *bytes, uint64_t size);

// Parses two words: the number of readings that will be correct, and the mask of the bits that are
// inverted in the reading that follows.
bool words_misreading(char *const *words, struct misreading *misreading);

#endif
