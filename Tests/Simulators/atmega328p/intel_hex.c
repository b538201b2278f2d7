#include "intel_hex.h"

#include <stdio.h>
#include <string.h>

// The structure of a record: length, address (2), type, data, checksum.
#define RECORD_OVERHEAD 5u
#define RECORD_MAX (255u + RECORD_OVERHEAD)
#define LINE_MAX (1 + 2 * RECORD_MAX + 2) // colon, hexadecimal digits, CR LF

enum record_type {
    DATA = 0,
    END_OF_FILE = 1,
    SEGMENT_ADDRESS =
        2, // the record contains an offset that is multiplied by 16 and added to the address
    SEGMENT_START = 3,
    LINEAR_ADDRESS =
        4, // the record contains an offset that is multiplied by 65,536 and added to the address
    LINEAR_START = 5,
};

struct reader {
    uint8_t *memory;
    uint32_t first;
    uint32_t end;
    uint32_t lowest;
    uint32_t base;
    bool has_data;
    bool is_complete; // the end-of-file record has been read
};

static int hex_digit(char character) {
    const char digits[] = "0123456789ABCDEF";
    char upper = (char)(character >= 'a' && character <= 'f' ? character - 'a' + 'A' : character);
    const char *digit = upper == '\0' ? NULL : strchr(digits, upper);
    return digit == NULL ? -1 : (int)(digit - digits);
}

// Each function that parses a record returns an error message, or NULL.

static const char *decode(const char *line, uint8_t *record, size_t *size) {
    size_t digits = strcspn(line + 1, "\r\n");
    if (line[0] != ':') {
        return "expected ':' at the start of a record";
    }
    if (digits % 2 != 0 || digits / 2 > RECORD_MAX) {
        return "expected two digits for each byte, and at most 260 bytes";
    }
    *size = digits / 2;
    for (size_t index = 0; index < *size; index++) {
        int high = hex_digit(line[1 + 2 * index]);
        int low = hex_digit(line[2 + 2 * index]);
        if (high < 0 || low < 0) {
            return "expected a hexadecimal digit";
        }
        record[index] = (uint8_t)(high << 4 | low);
    }
    return NULL;
}

static const char *check(const uint8_t *record, size_t size) {
    uint8_t sum = 0;
    for (size_t index = 0; index < size; index++) {
        sum = (uint8_t)(sum + record[index]);
    }
    if (size < RECORD_OVERHEAD || size != record[0] + RECORD_OVERHEAD) {
        return "the length field does not match the record";
    }
    return sum == 0 ? NULL : "wrong checksum";
}

static const char *store(struct reader *reader, uint32_t offset, const uint8_t *data,
                         uint8_t length) {
    uint32_t address = reader->base + offset;
    if (address < reader->first || address + length > reader->end) {
        return "data at an address that is not available for it";
    }
    memcpy(&reader->memory[address], data, length);
    reader->lowest = address < reader->lowest ? address : reader->lowest;
    reader->has_data = true;
    return NULL;
}

static bool has_right_length(uint8_t type, uint8_t length) {
    static const uint8_t lengths[] = {[END_OF_FILE] = 0,
                                      [SEGMENT_ADDRESS] = 2,
                                      [SEGMENT_START] = 4,
                                      [LINEAR_ADDRESS] = 2,
                                      [LINEAR_START] = 4};
    return type == DATA || type >= sizeof lengths || length == lengths[type];
}

static const char *obey(struct reader *reader, const uint8_t *record) {
    uint8_t length = record[0];
    uint32_t offset = (uint32_t)(record[1] << 8 | record[2]);
    uint8_t type = record[3];
    const uint8_t *data = &record[4];
    if (reader->is_complete) {
        return "a record after the end-of-file record";
    }
    if (!has_right_length(type, length)) {
        return "wrong length for this record type";
    }
    switch (type) {
    case DATA:
        return store(reader, offset, data, length);
    case END_OF_FILE:
        reader->is_complete = true;
        return NULL;
    case SEGMENT_ADDRESS:
        reader->base = (uint32_t)(data[0] << 8 | data[1]) << 4;
        return NULL;
    case LINEAR_ADDRESS:
        reader->base = (uint32_t)(data[0] << 8 | data[1]) << 16;
        return NULL;
    case SEGMENT_START:
    case LINEAR_START: // ignored, because a reset determines where a program starts
        return NULL;
    default:
        return "unknown record type";
    }
}

static const char *read_line(struct reader *reader, const char *line) {
    uint8_t record[RECORD_MAX];
    size_t size = 0;
    if (line[strspn(line, " \t\r\n")] == '\0') {
        return NULL;
    }
    const char *wrong = decode(line, record, &size);
    if (wrong == NULL) {
        wrong = check(record, size);
    }
    return wrong == NULL ? obey(reader, record) : wrong;
}

static bool read_lines(struct reader *reader, FILE *file, const char *path) {
    char line[LINE_MAX + 1];
    unsigned long number = 0;
    const char *wrong = NULL;
    while (wrong == NULL && fgets(line, sizeof line, file) != NULL) {
        number++;
        wrong = read_line(reader, line);
    }
    if (wrong == NULL && !reader->is_complete) {
        wrong = "the end-of-file record is missing";
    }
    if (wrong == NULL && !reader->has_data) {
        wrong = "no data";
    }
    if (wrong != NULL) {
        fprintf(stderr, "%s:%lu: %s\n", path, number, wrong);
    }
    return wrong == NULL;
}

bool intel_hex_load(const char *path, uint8_t *memory, uint32_t first, uint32_t end,
                    uint32_t *lowest) {
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        return false;
    }
    struct reader reader = {.memory = memory, .first = first, .end = end, .lowest = end};
    bool is_loaded = read_lines(&reader, file, path);
    fclose(file);
    *lowest = reader.lowest;
    return is_loaded;
}
