/* haptic_bridge: the messages of the server's protocol (version 3), AHAP, and the connection. */

#if !defined(_POSIX_C_SOURCE) && !defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#endif

#include "haptic_bridge.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

/* The constants of the protocol, with times in seconds: the interval between signs of life; the
 * silence after which the server is considered lost; the interval, the required number and the
 * maximum drift for queries of a remote clock; and the time limits for starting the server and an
 * engine. */
#define ALIVE_INTERVAL 0.06
#define SILENCE_LIMIT 2.0
#define CLOCK_INTERVAL 0.005
#define CLOCK_ANSWERS 8
#define CLOCK_DRIFT 200e-6
#define START_TIME 5.0
#define START_TIMEOUT 8.0

#define ENTRIES_OF_MESSAGE 250
#define LATEST_SECOND 86400.0
/* The shortest duration that counts as endless: the greatest finite float, reduced by a margin for
   rounding errors. */
#define ENDLESS 3.40282346638528e38
#define SOCKET_MAX 102

/* The named patterns, written by named.py. */
/* clang-format off */
static const char *const named_patterns[][2] = {
    {"alignment", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.32},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.8}]}}]}"},
    {"crown-detent", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.25},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":1}]}}]}"},
    {"error", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.6},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.9}]}},{\"Event\":{\"Time\":0.12,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.6},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.9}]}},{\"Event\":{\"Time\":0.24,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":1},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.2}]}},{\"Event\":{\"Time\":0.44,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.6},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.5}]}}]}"},
    {"generic", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticContinuous\",\"EventDuration\":0.06,\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.55},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.5}]}}]}"},
    {"impact-heavy", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":1},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0}]}}]}"},
    {"impact-light", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.4},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.8}]}}]}"},
    {"impact-medium", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.6},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.3}]}}]}"},
    {"impact-rigid", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.8},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":1}]}}]}"},
    {"impact-soft", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticContinuous\",\"EventDuration\":0.08,\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.5},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0}]}}]}"},
    {"level-change", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticContinuous\",\"EventDuration\":0.1,\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.9},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.5}]}}]}"},
    {"selection", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.2},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":1}]}}]}"},
    {"success", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.5},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.9}]}},{\"Event\":{\"Time\":0.18,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":1},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.4}]}}]}"},
    {"warning", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":1},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.4}]}},{\"Event\":{\"Time\":0.26,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.5},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.9}]}}]}"},
    {"watch-click", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.495},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.8}]}}]}"},
    {"watch-direction-down", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":1},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.4}]}},{\"Event\":{\"Time\":0.12,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.4},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.9}]}}]}"},
    {"watch-direction-up", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.4},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.9}]}},{\"Event\":{\"Time\":0.12,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":1},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.4}]}}]}"},
    {"watch-failure", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticContinuous\",\"EventDuration\":0.14,\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.9},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.3}]}},{\"Event\":{\"Time\":0.3,\"EventType\":\"HapticContinuous\",\"EventDuration\":0.2,\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.9},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.2}]}}]}"},
    {"watch-notification", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.8},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.5}]}},{\"Event\":{\"Time\":0.14,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.8},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.5}]}},{\"Event\":{\"Time\":0.3,\"EventType\":\"HapticContinuous\",\"EventDuration\":0.25,\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.8},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.4}]}}]}"},
    {"watch-retry", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.75},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.6}]}},{\"Event\":{\"Time\":0.12,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.75},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.6}]}},{\"Event\":{\"Time\":0.24,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.75},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.6}]}}]}"},
    {"watch-start", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticContinuous\",\"EventDuration\":0.15,\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":1},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.5}]}}]}"},
    {"watch-stop", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":1},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.5}]}},{\"Event\":{\"Time\":0.35,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":1},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.5}]}}]}"},
    {"watch-success", "{\"Pattern\":[{\"Event\":{\"Time\":0,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.35},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.9}]}},{\"Event\":{\"Time\":0.17,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.6},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.7}]}},{\"Event\":{\"Time\":0.34,\"EventType\":\"HapticTransient\",\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":1},{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.3}]}}]}"},
};
/* clang-format on */
/* The end of the named patterns. */

/* ---- Errors ------------------------------------------------------------------------------- */

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static int
fail(struct haptic_error *error, int code, const char *advice, const char *format, ...) {
    va_list values;
    va_start(values, format);
    memset(error, 0, sizeof *error);
    error->code = code;
    vsnprintf(error->reason, sizeof error->reason, format, values);
    snprintf(error->advice, sizeof error->advice, "%s", advice);
    va_end(values);
    return code;
}

/* ---- SHA-256 and HMAC (FIPS 180-4, FIPS 198-1) -------------------------------------------- */

struct sha256 {
    uint32_t state[8];
    uint64_t count;
    uint8_t block[64];
};

static const uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated(uint32_t word, int count) { return word >> count | word << (32 - count); }

static void sha256_block(struct sha256 *hash) {
    uint32_t words[64], v[8];
    for (size_t i = 0; i < 16; i++) {
        const uint8_t *bytes = hash->block + 4 * i;
        words[i] = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
                   bytes[3];
    }
    for (size_t i = 16; i < 64; i++) {
        uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = words[i - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + words[i - 7] +
                   (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
    memcpy(v, hash->state, sizeof v);
    for (size_t i = 0; i < 64; i++) {
        uint32_t first = v[7] + (rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)) +
                         ((v[4] & v[5]) ^ (~v[4] & v[6])) + sha256_constants[i] + words[i];
        uint32_t second = (rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)) +
                          ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += first;
        v[0] = first + second;
    }
    for (size_t i = 0; i < 8; i++)
        hash->state[i] += v[i];
}

static void sha256_begin(struct sha256 *hash) {
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, start, sizeof start);
    hash->count = 0;
}

static void sha256_add(struct sha256 *hash, const void *data, size_t size) {
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) {
        hash->block[hash->count++ % 64] = bytes[i];
        if (hash->count % 64 == 0)
            sha256_block(hash);
    }
}

static void sha256_end(struct sha256 *hash, uint8_t digest[32]) {
    uint64_t bits = hash->count * 8;
    sha256_add(hash, "\x80", 1);
    while (hash->count % 64 != 56)
        sha256_add(hash, "", 1);
    for (int i = 56; i >= 0; i -= 8) {
        uint8_t byte = (uint8_t)(bits >> i);
        sha256_add(hash, &byte, 1);
    }
    for (size_t i = 0; i < 32; i++)
        digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

/* Computes the authentication code of a message that is passed in two parts. */
static void hmac(const uint8_t key[32], const void *first, size_t first_size, const void *second,
                 size_t second_size, uint8_t code[32]) {
    struct sha256 hash;
    uint8_t pad[64];
    for (int outer = 0; outer < 2; outer++) {
        for (size_t i = 0; i < 64; i++) {
            pad[i] = (uint8_t)((i < 32 ? key[i] : 0) ^ (outer ? 0x5c : 0x36));
        }
        sha256_begin(&hash);
        sha256_add(&hash, pad, sizeof pad);
        if (outer) {
            sha256_add(&hash, code, 32);
        } else {
            sha256_add(&hash, first, first_size);
            sha256_add(&hash, second, second_size);
        }
        sha256_end(&hash, code);
    }
}

static bool is_equal(const uint8_t *one, const uint8_t *other) {
    uint8_t difference = 0;
    for (size_t i = 0; i < 32; i++)
        difference |= (uint8_t)(one[i] ^ other[i]);
    return difference == 0;
}

static void to_hexadecimal(const uint8_t *bytes, size_t count, char *text) {
    for (size_t i = 0; i < count; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

/* Reads 64 hexadecimal digits. White space is skipped if `is_loose`. */
static bool from_hexadecimal(const char *text, uint8_t bytes[32], bool is_loose) {
    size_t count = 0;
    for (; *text && *text != '\n'; text++) {
        if (is_loose && (*text == ' ' || *text == '\t' || *text == '\r'))
            continue;
        const char *digits = "0123456789abcdefABCDEF", *found = strchr(digits, *text);
        if (!found || count >= 64)
            return false;
        uint8_t digit = (uint8_t)(found - digits < 16 ? found - digits : found - digits - 6);
        bytes[count / 2] = (uint8_t)(count % 2 ? bytes[count / 2] << 4 | digit : digit);
        count++;
    }
    return count == 64;
}

/* ---- JSON --------------------------------------------------------------------------------- */

#define JSON_DEPTH 32

/* The unread part of a text, or a value in a text. */
struct json {
    const char *at, *end;
};

static void json_space(struct json *in) {
    while (in->at < in->end && strchr(" \t\r\n", *in->at) && *in->at)
        in->at++;
}

static bool json_take(struct json *in, char expected) {
    json_space(in);
    if (in->at >= in->end || *in->at != expected)
        return false;
    in->at++;
    return true;
}

static bool json_string(struct json *in) {
    if (!json_take(in, '"'))
        return false;
    while (in->at < in->end && *in->at != '"') {
        if ((unsigned char)*in->at < 0x20)
            return false;
        if (*in->at == '\\' && ++in->at >= in->end)
            return false;
        in->at++;
    }
    if (in->at >= in->end)
        return false;
    in->at++;
    return true;
}

static bool json_number(struct json *in) {
    const char *begin = in->at;
    bool has_digit = false;
    for (; in->at < in->end && *in->at && strchr("0123456789+-.eE", *in->at); in->at++) {
        has_digit |= *in->at >= '0' && *in->at <= '9';
    }
    return in->at > begin && has_digit;
}

/* Reads a value, and checks its syntax. */
static bool json_value(struct json *in, struct json *value, int depth) {
    json_space(in);
    value->at = in->at;
    if (in->at >= in->end || depth > JSON_DEPTH)
        return false;
    char first = *in->at, close = first == '{' ? '}' : ']';
    bool is_valid = true;
    if (first == '{' || first == '[') {
        struct json inner;
        in->at++;
        if (!json_take(in, close)) {
            do {
                if (first == '{')
                    is_valid = json_string(in) && json_take(in, ':');
                is_valid = is_valid && json_value(in, &inner, depth + 1);
            } while (is_valid && json_take(in, ','));
            is_valid = is_valid && json_take(in, close);
        }
    } else if (first == '"') {
        is_valid = json_string(in);
    } else {
        static const char *const words[] = {"true", "false", "null"};
        for (size_t i = 0; i < 3; i++) {
            size_t length = strlen(words[i]);
            if ((size_t)(in->end - in->at) >= length && memcmp(in->at, words[i], length) == 0) {
                in->at += length;
                value->end = in->at;
                return true;
            }
        }
        is_valid = json_number(in);
    }
    value->end = in->at;
    return is_valid;
}

/* Reads the next element of a list, or the next member of an object with its key in quotes. `in`
   must be a valid value; the first call enters the list or object. Returns false after the last
   element. */
static bool json_next(struct json *in, struct json *key, struct json *value) {
    json_space(in);
    if (in->at >= in->end)
        return false;
    in->at++; /* Skips the bracket or the comma. */
    json_space(in);
    if (in->at >= in->end || *in->at == ']' || *in->at == '}')
        return false;
    if (key) {
        key->at = in->at;
        if (!json_string(in))
            return false;
        key->end = in->at;
        if (!json_take(in, ':'))
            return false;
    }
    if (!json_value(in, value, 0))
        return false;
    json_space(in);
    return true;
}

static bool json_is(struct json value, const char *text) {
    size_t length = strlen(text);
    return (size_t)(value.end - value.at) == length + 2 && *value.at == '"' &&
           memcmp(value.at + 1, text, length) == 0;
}

static bool json_has_type(struct json value, char first) {
    return value.at < value.end && *value.at == first;
}

/* Returns the member of an object with the given name; an empty value if there is no such member.
 */
static struct json json_member(struct json object, const char *name) {
    struct json key, value, found = {NULL, NULL};
    if (!json_has_type(object, '{'))
        return found;
    while (json_next(&object, &key, &value)) {
        if (json_is(key, name))
            found = value;
    }
    return found;
}

/* Returns the member of an object if it is a list; an empty value otherwise. */
static struct json json_list(struct json object, const char *name) {
    static const struct json none = {NULL, NULL};
    struct json list = json_member(object, name);
    return json_has_type(list, '[') ? list : none;
}

/* Reads a number, independently of the locale. */
static bool json_to_double(struct json value, double *number) {
    const char *at = value.at, *end = value.end;
    uint64_t digits = 0;
    int exponent = 0, given = 0;
    bool is_negative = false, is_fraction = false, has_digit = false;
    if (at < end && *at == '-')
        is_negative = true, at++;
    for (; at < end && ((*at >= '0' && *at <= '9') || *at == '.'); at++) {
        if (*at == '.') {
            if (is_fraction)
                return false;
            is_fraction = true;
            continue;
        }
        has_digit = true;
        if (digits < UINT64_MAX / 100) {
            digits = digits * 10 + (uint64_t)(*at - '0');
            exponent -= is_fraction;
        } else {
            exponent += !is_fraction;
        }
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        bool is_small = ++at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+'))
            at++;
        if (at >= end)
            return false;
        for (; at < end && *at >= '0' && *at <= '9'; at++) {
            if (given < 10000)
                given = given * 10 + (*at - '0');
        }
        exponent += is_small ? -given : given;
    }
    if (!has_digit || at != end)
        return false;
    while (exponent < 0 && digits && digits % 10 == 0)
        digits /= 10, exponent++;
    double result = (double)digits;
    /* Powers of ten up to 10^22 are exact, so numbers with up to 15 digits are rounded only once.
     */
    if (exponent < 0) {
        result = exponent < -300 ? result / 1e300 / pow(10, -exponent - 300)
                                 : result / pow(10, -exponent);
    } else if (exponent > 0 && digits) {
        result = result * pow(10, exponent);
    }
    *number = is_negative ? -result : result;
    return true;
}

static void put_utf8(char **at, uint32_t code) {
    if (code < 0x80) {
        *(*at)++ = (char)code;
    } else if (code < 0x800) {
        *(*at)++ = (char)(0xc0 | code >> 6);
        *(*at)++ = (char)(0x80 | (code & 0x3f));
    } else {
        *(*at)++ = (char)(0xe0 | code >> 12);
        *(*at)++ = (char)(0x80 | (code >> 6 & 0x3f));
        *(*at)++ = (char)(0x80 | (code & 0x3f));
    }
}

/* Copies as much of a string as fits into the destination, and resolves its escapes. */
static void json_to_text(struct json value, char *text, size_t size) {
    char *end = text + size - 4;
    if (json_has_type(value, '"')) {
        for (const char *at = value.at + 1; at < value.end - 1 && text < end; at++) {
            const char *from = "bfnrt", *to = "\b\f\n\r\t", *found;
            if (*at != '\\') {
                *text++ = *at;
            } else if (*++at == 'u' && value.end - at > 5) {
                char digits[5] = {at[1], at[2], at[3], at[4], 0};
                put_utf8(&text, (uint32_t)strtoul(digits, NULL, 16));
                at += 4;
            } else {
                found = strchr(from, *at);
                *text++ = found && *at ? to[found - from] : *at;
            }
        }
    }
    *text = 0;
}

/* ---- Messages to the server --------------------------------------------------------------- */

double haptic_current_time(void) {
    struct timespec now;
#ifdef CLOCK_BOOTTIME
    clock_gettime(CLOCK_BOOTTIME, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int lost(struct haptic_engine *engine, const char *reason) {
    engine->is_over = true;
    return fail(&engine->error,
                engine->is_started ? HAPTIC_SERVER_INTERRUPTED : HAPTIC_SERVER_INIT_FAILED, "",
                "%s", reason);
}

/* Adds text to the message that is being written. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
put(struct haptic_engine *engine, const char *format, ...) {
    va_list values;
    size_t room = HAPTIC_MESSAGE_MAX + 4 - engine->out_used;
    va_start(values, format);
    int count = vsnprintf((char *)engine->out + engine->out_used, room, format, values);
    va_end(values);
    engine->out_used += count < 0 ? 0 : (size_t)count < room ? (size_t)count : room - 1;
}

/* Writes a number with the fewest digits that identify it. */
static void put_number(struct haptic_engine *engine, double number) {
    char text[40];
    for (int precision = 1; precision <= 17; precision++) {
        double again;
        snprintf(text, sizeof text, "%.*g", precision, number);
        for (char *at = text; *at; at++) {
            if (!strchr("0123456789+-e", *at))
                *at = '.'; /* Replaces the decimal point of a locale. */
        }
        struct json value = {text, text + strlen(text)};
        if (json_to_double(value, &again) && again == number)
            break;
    }
    put(engine, "%s", text);
}

static long long to_microseconds(double seconds) { return (long long)floor(seconds * 1e6 + 0.5); }

static void put_string(struct haptic_engine *engine, const char *text) {
    put(engine, "\"");
    for (; *text; text++) {
        bool is_special = *text == '"' || *text == '\\';
        if ((unsigned char)*text < 0x20)
            continue;
        put(engine, is_special ? "\\%c" : "%c", *text);
    }
    put(engine, "\"");
}

static void begin(struct haptic_engine *engine) {
    engine->out_used = 4;
    put(engine, "{");
}

static int send_bytes(struct haptic_engine *engine, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = send(engine->socket, bytes, count, MSG_NOSIGNAL);
        if (written >= 0) {
            bytes += written;
            count -= (size_t)written;
        } else if (errno == EAGAIN) {
            struct pollfd request = {engine->socket, POLLOUT, 0};
            if (poll(&request, 1, (int)(SILENCE_LIMIT * 1000)) == 0) {
                return lost(engine, "the process that serves the board does not read its messages");
            }
        } else if (errno != EINTR) {
            return 0; /* The server has closed the connection. The next poll reads the reason that
                         the server has given. */
        }
    }
    return 0;
}

/* The code of the next message that is sent (0) or received (1). */
static void seal(struct haptic_engine *engine, int direction, const uint8_t *message, size_t size,
                 uint8_t code[32]) {
    uint8_t number[8];
    for (int i = 0; i < 8; i++)
        number[i] = (uint8_t)(engine->counts[direction] >> (56 - 8 * i));
    engine->counts[direction]++;
    hmac(engine->keys[direction], number, 8, message, size, code);
}

/* Sends the message that was written. */
static int transmit(struct haptic_engine *engine) {
    size_t length = engine->out_used - 4;
    for (int i = 0; i < 4; i++)
        engine->out[i] = (uint8_t)(length >> (24 - 8 * i));
    if (engine->is_remote) {
        seal(engine, 0, engine->out, engine->out_used, engine->out + engine->out_used);
        engine->out_used += 32;
    }
    engine->sent = haptic_current_time();
    return send_bytes(engine, engine->out, engine->out_used);
}

/* Ends the message with its type, and sends it. */
static int send_message(struct haptic_engine *engine, const char *type) {
    put(engine, "%s\"type\":\"%s\"}", engine->out_used > 5 ? "," : "", type);
    return transmit(engine);
}

/* ---- AHAP --------------------------------------------------------------------------------- */

/* The dynamic parameters. The values of the first two parameters are factors from 0 to 1; the
   values of all other parameters are summands from -1 to 1. */
static const char *const dynamic_parameters[] = {
    "HapticIntensityControl",  "AudioVolumeControl",     "HapticSharpnessControl",
    "HapticAttackTimeControl", "HapticDecayTimeControl", "HapticReleaseTimeControl",
    "AudioPanControl",         "AudioBrightnessControl", "AudioPitchControl",
    "AudioAttackTimeControl",  "AudioDecayTimeControl",  "AudioReleaseTimeControl"};

/* Returns the index of a dynamic parameter; -1 if the parameter is unknown. */
static int dynamic_parameter(struct json id) {
    for (int i = 0; i < 12; i++) {
        if (json_is(id, dynamic_parameters[i]))
            return i;
    }
    return -1;
}

static double clamped(double value, double low) {
    return value < low ? low : value > 1 ? 1 : value;
}

/* The writer of a pattern's messages. If `is_sent` is false, the pattern is only checked. */
struct pattern_writer {
    struct haptic_engine *engine;
    uint32_t player;
    bool is_sent;
    /* The index of the current entry in the list Pattern. */
    unsigned entry;
    /* The number of entries of the message that is being written. */
    unsigned count;
};

static int reject(struct pattern_writer *writer, int code, const char *reason) {
    return fail(&writer->engine->error, code, "to list all errors, run `bridge lint` on the file",
                "Pattern[%u]: %s", writer->entry, reason);
}

static int flush_entries(struct pattern_writer *writer, const char *name) {
    if (writer->count == 0)
        return 0;
    writer->count = 0;
    if (!writer->is_sent)
        return 0;
    put(writer->engine, "]%s,\"player\":%u", *name == 'e' ? ",\"more\":true" : "", writer->player);
    return send_message(writer->engine, "pattern");
}

/* Begins an entry in the list `name`. If no message has been begun, begins a message first. Members
   are written in the order of their names: `events`, `more`, `parameters`, `player`. */
static int begin_entry(struct pattern_writer *writer, const char *name) {
    int code = writer->count == ENTRIES_OF_MESSAGE ? flush_entries(writer, name) : 0;
    if (writer->is_sent) {
        if (writer->count == 0) {
            begin(writer->engine);
            put(writer->engine, "%s\"%s\":[", *name == 'e' ? "" : "\"more\":true,", name);
        } else {
            put(writer->engine, ",");
        }
    }
    writer->count++;
    return code;
}

static int read_number(struct pattern_writer *writer, struct json owner, const char *key,
                       double otherwise, double *number) {
    struct json value = json_member(owner, key);
    *number = otherwise;
    if (!value.at || json_to_double(value, number))
        return 0;
    return reject(writer, HAPTIC_BAD_PARAMETER_ENTRY, "a value must be a number");
}

static int read_time(struct pattern_writer *writer, struct json owner, const char *key,
                     double *time) {
    int code = read_number(writer, owner, key, 0, time);
    if (code != 0 || (*time >= 0 && *time <= LATEST_SECOND))
        return code;
    return reject(writer, HAPTIC_INVALID_TIME, "times must be 0 to 86400 s");
}

/* The values of an event: intensity, sharpness, attack, decay, release, sustained. */
static int read_values(struct pattern_writer *writer, struct json event, double values[6]) {
    static const char *const names[6] = {"HapticIntensity", "HapticSharpness", "AttackTime",
                                         "DecayTime",       "ReleaseTime",     "Sustained"};
    struct json list = json_member(event, "EventParameters"), parameter;
    if (list.at && !json_has_type(list, '[')) {
        return reject(writer, HAPTIC_BAD_EVENT_ENTRY, "EventParameters must be a list");
    }
    while (list.at && json_next(&list, NULL, &parameter)) {
        struct json id = json_member(parameter, "ParameterID");
        for (int i = 0; i < 6; i++) {
            if (!json_is(id, names[i]))
                continue;
            double value = values[i];
            int code = read_number(writer, parameter, "ParameterValue", value, &value);
            if (code != 0)
                return code;
            values[i] = clamped(value, 0);
        }
    }
    return 0;
}

static int write_event(struct pattern_writer *writer, struct json event) {
    struct haptic_engine *engine = writer->engine;
    struct json type = json_member(event, "EventType");
    bool is_transient = json_is(type, "HapticTransient");
    bool is_continuous = json_is(type, "HapticContinuous");
    if (!is_transient && !is_continuous && !json_is(type, "AudioContinuous") &&
        !json_is(type, "AudioCustom")) {
        return reject(writer, HAPTIC_INVALID_EVENT_TYPE, "the EventType is unknown");
    }
    double values[6] = {is_transient ? 0.75 : 0.6, is_transient ? 0.5 : 0.422601, 0, 0, 0, 1};
    double time, duration = -1;
    int code = read_time(writer, event, "Time", &time);
    if (code == 0)
        code = read_values(writer, event, values);
    if (code == 0 && json_member(event, "EventDuration").at) {
        code = read_number(writer, event, "EventDuration", 0, &duration);
        if (code == 0 && duration < ENDLESS) {
            code = read_time(writer, event, "EventDuration", &duration);
        } else {
            duration = -1;
        }
    }
    if (code == 0)
        code = begin_entry(writer, "events");
    if (code != 0 || !writer->is_sent)
        return code;
    long long length = duration < 0 ? -1 : to_microseconds(duration);
    put(engine, "[%d,%lld", is_transient ? 0 : is_continuous ? 1 : 2, to_microseconds(time));
    if (is_continuous || (!is_transient && length >= 0))
        put(engine, ",%lld", length);
    int last = 0;
    if (is_transient || is_continuous)
        last = 2;
    if (is_continuous && (values[2] > 0 || values[3] > 0 || values[4] > 0 || values[5] < 0.5)) {
        last = 5;
    }
    for (int i = 0; i < last; i++) {
        put(engine, ",");
        put_number(engine, values[i]);
    }
    if (last == 5)
        put(engine, ",%d", values[5] >= 0.5);
    if (is_transient && length >= 0)
        put(engine, ",%lld", length);
    put(engine, "]");
    return 0;
}

static int write_parameter(struct pattern_writer *writer, struct json body) {
    int id = dynamic_parameter(json_member(body, "ParameterID"));
    double time, value;
    int code = read_time(writer, body, "Time", &time);
    if (code == 0)
        code = read_number(writer, body, "ParameterValue", id < 2 ? 1 : 0, &value);
    if (code != 0 || id < 0)
        return code;
    code = begin_entry(writer, "parameters");
    if (code != 0 || !writer->is_sent)
        return code;
    put(writer->engine, "[\"%s\",%lld,", dynamic_parameters[id], to_microseconds(time));
    put_number(writer->engine, clamped(value, id < 2 ? 0 : -1));
    put(writer->engine, "]");
    return 0;
}

/* Begins a message with points of a curve. The last message of a curve contains the curve itself.
 */
static void begin_points(struct haptic_engine *engine, uint32_t player, bool is_last, int id,
                         double time) {
    begin(engine);
    if (is_last) {
        put(engine, "\"curves\":[[\"%s\",%lld,[", dynamic_parameters[id], to_microseconds(time));
    } else {
        put(engine, "\"more\":true,\"player\":%u,\"points\":[", player);
    }
}

static void put_point(struct haptic_engine *engine, bool is_first, double time, double value) {
    put(engine, "%s[%lld,", is_first ? "" : ",", to_microseconds(time));
    put_number(engine, value);
    put(engine, "]");
}

static int write_curve(struct pattern_writer *writer, struct json body) {
    struct json list = json_member(body, "ParameterCurveControlPoints"), points = list, point;
    int id = dynamic_parameter(json_member(body, "ParameterID"));
    double time, start, value;
    unsigned total = 0, index = 0;
    int code = read_time(writer, body, "Time", &start);
    if (code == 0 && list.at && !json_has_type(list, '[')) {
        code = reject(writer, HAPTIC_BAD_PARAMETER_ENTRY, "the control points must be a list");
    }
    /* Omits a point at the greatest possible time, because playback never reaches it. */
    while (code == 0 && points.at && json_next(&points, NULL, &point)) {
        code = read_number(writer, point, "Time", 0, &time);
        total += time <= LATEST_SECOND;
    }
    while (code == 0 && total > 0 && list.at && json_next(&list, NULL, &point)) {
        code = read_number(writer, point, "Time", 0, &time);
        if (code == 0 && time > LATEST_SECOND)
            continue;
        if (code == 0)
            code = read_time(writer, point, "Time", &time);
        if (code == 0)
            code = read_number(writer, point, "ParameterValue", id < 2 ? 1 : 0, &value);
        if (code != 0 || id < 0 || !writer->is_sent)
            continue;
        bool is_first = index % ENTRIES_OF_MESSAGE == 0;
        bool is_last_message = index / ENTRIES_OF_MESSAGE == (total - 1) / ENTRIES_OF_MESSAGE;
        if (is_first)
            begin_points(writer->engine, writer->player, is_last_message, id, start);
        put_point(writer->engine, is_first, time, clamped(value, id < 2 ? 0 : -1));
        index++;
        if (index % ENTRIES_OF_MESSAGE == 0 || index == total) {
            put(writer->engine, "]");
            if (is_last_message)
                put(writer->engine, "]],\"more\":true,\"player\":%u", writer->player);
            code = send_message(writer->engine, is_last_message ? "pattern" : "points");
        }
    }
    return code;
}

/* Writes the entries of one kind, such as events. */
static int write_entries(struct pattern_writer *writer, struct json pattern, const char *kind,
                         int (*write)(struct pattern_writer *, struct json)) {
    struct json entry, key, body;
    int code = 0;
    writer->entry = 0;
    for (; code == 0 && json_next(&pattern, NULL, &entry); writer->entry++) {
        if (!json_has_type(entry, '{')) {
            return reject(writer, HAPTIC_INVALID_PATTERN_DICTIONARY, "expected an object");
        }
        while (code == 0 && json_next(&entry, &key, &body)) {
            if (!json_is(key, kind))
                continue;
            code = json_has_type(body, '{')
                       ? write(writer, body)
                       : reject(writer, HAPTIC_INVALID_PATTERN_DICTIONARY, "expected an object");
        }
    }
    return code != 0 ? code : flush_entries(writer, *kind == 'E' ? "events" : "parameters");
}

/* Checks a pattern, and sends its messages if `is_sent`. */
static int write_pattern(struct haptic_engine *engine, uint32_t player, const char *ahap,
                         size_t length, bool is_sent) {
    struct pattern_writer writer = {engine, player, is_sent, 0, 0};
    struct json in = {ahap, ahap + length}, root, pattern;
    bool is_json = json_value(&in, &root, 0);
    json_space(&in);
    if (!is_json || in.at != in.end) {
        return fail(&engine->error, HAPTIC_INVALID_PATTERN_DATA,
                    "run `bridge lint --fix` on the file, which repairs minor errors",
                    "not JSON: byte %zu", (size_t)(in.at - ahap));
    }
    pattern = json_member(root, "Pattern");
    struct json first = pattern, entry;
    if (!json_has_type(pattern, '[') || !json_next(&first, NULL, &entry)) {
        return fail(&engine->error, HAPTIC_INVALID_PATTERN_DICTIONARY, "",
                    "the pattern has no list of entries under the key Pattern");
    }
    int code = write_entries(&writer, pattern, "Event", write_event);
    if (code == 0)
        code = write_entries(&writer, pattern, "Parameter", write_parameter);
    if (code == 0)
        code = write_entries(&writer, pattern, "ParameterCurve", write_curve);
    return code;
}

/* ---- Players ------------------------------------------------------------------------------ */

static int check_running(struct haptic_engine *engine) {
    if (engine->is_reset && !engine->is_over)
        return fail(&engine->error, HAPTIC_ENGINE_NOT_RUNNING, "call haptic_engine_restart",
                    "the board was reset");
    if (engine->is_started && !engine->is_over)
        return 0;
    if (engine->is_over && engine->error.code != 0)
        return engine->error.code;
    return fail(&engine->error, HAPTIC_ENGINE_NOT_RUNNING, "", "the engine is not running");
}

/* The offset between the clocks of this computer and of the server, in seconds. */
static double clock_offset(const struct haptic_engine *engine, double now) {
    double offset = 0, least = INFINITY;
    for (unsigned i = 0; i < engine->clock_count && i < 64; i++) {
        double error = engine->clock[i][2] + fmax(0, now - engine->clock[i][0]) * CLOCK_DRIFT;
        if (error < least)
            least = error, offset = engine->clock[i][1];
    }
    return offset;
}

static void put_time(struct haptic_engine *engine, double time) {
    if (time == 0)
        return;
    double offset = engine->is_remote ? clock_offset(engine, haptic_current_time()) : 0;
    put(engine, "%s\"time\":%lld", engine->out_used > 5 ? "," : "",
        to_microseconds(fmax(0, time + offset)));
}

static int check_times(struct haptic_engine *engine, double time, double other) {
    if (time >= 0 && time < 1e12 && other >= 0 && other < 1e12)
        return 0;
    return fail(&engine->error, HAPTIC_INVALID_TIME, "",
                "a time is negative, infinite or not a number");
}

static int check_number(struct haptic_engine *engine, double number, const char *what) {
    if (!isnan(number))
        return 0;
    return fail(&engine->error, HAPTIC_BAD_PARAMETER_ENTRY, "", "%s is not a number", what);
}

/* Checks a command and its times, which must not be negative. */
static int begin_command(struct haptic_engine *engine, uint32_t player, double time, double other) {
    int code = check_running(engine);
    if (code != 0)
        return code;
    if (player < engine->first_player || player > engine->last_player) {
        return fail(&engine->error, HAPTIC_INVALID_PATTERN_PLAYER, "",
                    "the player was made before the engine stopped or the board was reset");
    }
    code = check_times(engine, time, other);
    if (code == 0)
        begin(engine);
    return code;
}

static int timed(struct haptic_engine *engine, uint32_t player, double time, const char *type) {
    int code = begin_command(engine, player, time, 0);
    if (code != 0)
        return code;
    put(engine, "\"player\":%u", player);
    put_time(engine, time);
    return send_message(engine, type);
}

int haptic_player_start(struct haptic_engine *engine, uint32_t player, double time, double offset) {
    int code = begin_command(engine, player, time, offset);
    if (code != 0)
        return code;
    if (offset > 0)
        put(engine, "\"offset\":%lld,", to_microseconds(offset));
    put(engine, "\"player\":%u", player);
    put_time(engine, time);
    return send_message(engine, "start");
}

int haptic_player_stop(struct haptic_engine *engine, uint32_t player, double time) {
    return timed(engine, player, time, "stop");
}

int haptic_player_cancel(struct haptic_engine *engine, uint32_t player) {
    return timed(engine, player, 0, "cancel");
}

int haptic_player_pause(struct haptic_engine *engine, uint32_t player, double time) {
    return timed(engine, player, time, "pause");
}

int haptic_player_resume(struct haptic_engine *engine, uint32_t player, double time) {
    return timed(engine, player, time, "resume");
}

int haptic_player_release(struct haptic_engine *engine, uint32_t player) {
    return timed(engine, player, 0, "abandon");
}

int haptic_player_seek(struct haptic_engine *engine, uint32_t player, double offset) {
    int code = begin_command(engine, player, 0, offset);
    if (code != 0)
        return code;
    put(engine, "\"offset\":%lld,\"player\":%u", to_microseconds(offset), player);
    return send_message(engine, "seek");
}

/* Looks up a dynamic parameter by its name, and begins a command that changes it. */
static int begin_parameter(struct haptic_engine *engine, uint32_t player, const char *id,
                           double time, int *index) {
    for (*index = 11; *index >= 0; --*index) {
        if (strcmp(id, dynamic_parameters[*index]) == 0)
            break;
    }
    if (*index < 0) {
        return fail(&engine->error, HAPTIC_INVALID_PARAMETER_TYPE,
                    "use HapticIntensityControl or HapticSharpnessControl",
                    "%s is not a dynamic parameter", id);
    }
    return begin_command(engine, player, time, 0);
}

int haptic_player_send_parameter(struct haptic_engine *engine, uint32_t player, const char *id,
                                 double value, double time) {
    int index, code = check_number(engine, value, "the value of a parameter");
    if (code == 0)
        code = begin_parameter(engine, player, id, time, &index);
    if (code != 0)
        return code;
    put(engine, "\"parameters\":[[\"%s\",0,", id);
    put_number(engine, clamped(value, index < 2 ? 0 : -1));
    put(engine, "]],\"player\":%u", player);
    put_time(engine, time);
    return send_message(engine, "parameters");
}

int haptic_player_schedule_curve(struct haptic_engine *engine, uint32_t player, const char *id,
                                 const double (*points)[2], size_t count, double time) {
    int index, code = begin_parameter(engine, player, id, time, &index);
    for (size_t i = 0; code == 0 && i < count; i++) {
        bool is_late = i > 0 && points[i][0] < points[i - 1][0];
        if (!(points[i][0] >= 0 && points[i][0] < 1e12) || is_late) {
            code = fail(&engine->error, HAPTIC_INVALID_TIME, "",
                        "the points of a curve must be in the order of their times");
        } else {
            code = check_number(engine, points[i][1], "the value of a point");
        }
    }
    for (size_t i = 0; code == 0 && i < count; i += ENTRIES_OF_MESSAGE) {
        bool is_last = i + ENTRIES_OF_MESSAGE >= count;
        begin_points(engine, player, is_last, index, 0);
        for (size_t j = i; j < count && j < i + ENTRIES_OF_MESSAGE; j++) {
            put_point(engine, j == i, points[j][0], clamped(points[j][1], index < 2 ? 0 : -1));
        }
        put(engine, "]");
        if (is_last) {
            put(engine, "]],\"player\":%u", player);
            put_time(engine, time);
        }
        code = send_message(engine, is_last ? "curve" : "points");
    }
    return code;
}

static double limited_rate(double rate) {
    return rate < 1.0 / 64 ? 1.0 / 64 : rate > 64 ? 64 : rate;
}

int haptic_player_set_rate(struct haptic_engine *engine, uint32_t player, double rate) {
    int code = check_number(engine, rate, "the playback rate");
    if (code == 0)
        code = begin_command(engine, player, 0, 0);
    if (code != 0)
        return code;
    put(engine, "\"player\":%u,\"rate\":", player);
    put_number(engine, limited_rate(rate));
    return send_message(engine, "rate");
}

int haptic_player_set_loop(struct haptic_engine *engine, uint32_t player, bool is_enabled,
                           double end) {
    int code = begin_command(engine, player, 0, end);
    if (code != 0)
        return code;
    put(engine, "\"enabled\":%s,\"loop_end\":%lld,\"player\":%u", is_enabled ? "true" : "false",
        to_microseconds(end), player);
    return send_message(engine, "loop");
}

int haptic_player_set_muted(struct haptic_engine *engine, uint32_t player, bool is_muted) {
    int code = begin_command(engine, player, 0, 0);
    if (code != 0)
        return code;
    put(engine, "\"muted\":%s,\"player\":%u", is_muted ? "true" : "false", player);
    return send_message(engine, "mute");
}

int haptic_engine_set_muted(struct haptic_engine *engine, bool is_muted) {
    int code = check_running(engine);
    if (code != 0)
        return code;
    begin(engine);
    put(engine, "\"muted\":%s", is_muted ? "true" : "false");
    return send_message(engine, "mute");
}

int haptic_engine_request_output(struct haptic_engine *engine, uint32_t player, double time) {
    if (player)
        return timed(engine, player, time, "output");
    int code = check_running(engine);
    if (code == 0)
        code = check_times(engine, time, 0);
    if (code != 0)
        return code;
    begin(engine);
    put_time(engine, time);
    return send_message(engine, "output");
}

const char *haptic_named_pattern(const char *name) {
    for (size_t i = 0; i < sizeof named_patterns / sizeof *named_patterns; i++) {
        if (strcmp(named_patterns[i][0], name) == 0)
            return named_patterns[i][1];
    }
    return NULL;
}

uint32_t haptic_engine_make_player(struct haptic_engine *engine, const char *ahap, size_t length,
                                   const struct haptic_player_options *options) {
    static const struct haptic_player_options standard = {false, false, false, 0, 1};
    if (!options)
        options = &standard;
    uint32_t player = engine->last_player + 1;
    if (check_running(engine) != 0)
        return 0;
    if (check_number(engine, options->playback_rate, "the playback rate") != 0 ||
        check_times(engine, options->loop_end, 0) != 0)
        return 0;
    /* The pattern is checked before the first part is sent. */
    if (write_pattern(engine, player, ahap, length, false) != 0)
        return 0;
    if (write_pattern(engine, player, ahap, length, true) != 0)
        return 0;
    begin(engine);
    if (options->loop_enabled)
        put(engine, "\"enabled\":true,");
    if (options->is_limited)
        put(engine, "\"limited\":true,");
    if (options->loop_end > 0)
        put(engine, "\"loop_end\":%lld,", to_microseconds(options->loop_end));
    if (options->is_muted)
        put(engine, "\"muted\":true,");
    put(engine, "\"player\":%u", player);
    if (options->playback_rate > 0 && options->playback_rate != 1) {
        put(engine, ",\"rate\":");
        put_number(engine, limited_rate(options->playback_rate));
    }
    if (send_message(engine, "add") != 0)
        return 0;
    engine->last_player = player;
    return player;
}

uint32_t haptic_engine_make_player_of_file(struct haptic_engine *engine, const char *path,
                                           const struct haptic_player_options *options) {
    struct stat status;
    uint32_t player = 0;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) {
        fail(&engine->error, HAPTIC_FILE_NOT_FOUND, "", "%s: there is no such file", path);
    } else {
        size_t length = (size_t)status.st_size;
        void *text = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, 0);
        if (text == MAP_FAILED) {
            fail(&engine->error, HAPTIC_FILE_NOT_FOUND, "", "%s: cannot be read", path);
        } else {
            player = haptic_engine_make_player(engine, text, length, options);
            munmap(text, length);
        }
    }
    if (file >= 0)
        close(file);
    return player;
}

/* ---- Messages from the server ------------------------------------------------------------- */

/* Ends the engine for the reason given in a message. */
static void end_for(struct haptic_engine *engine, struct json message, int code) {
    double number = code;
    struct json advice = json_list(message, "advice"), line;
    char reason[sizeof engine->error.reason];
    json_to_text(json_member(message, "reason"), reason, sizeof reason);
    json_to_double(json_member(message, "code"), &number);
    lost(engine, reason);
    if (code == 0)
        engine->error.code = (int)fmax(-1e6, fmin(number, -1));
    json_to_text(json_member(message, "port"), engine->error.port, sizeof engine->error.port);
    number = 0;
    json_to_double(json_member(message, "faults"), &number);
    engine->error.faults = (unsigned)fmax(0, fmin(number, 65535));
    while (advice.at && json_next(&advice, NULL, &line)) {
        size_t used = strlen(engine->error.advice);
        if (used + 8 > sizeof engine->error.advice)
            break;
        if (used)
            engine->error.advice[used++] = '\n';
        json_to_text(line, engine->error.advice + used, sizeof engine->error.advice - used);
    }
}

static void record_clock(struct haptic_engine *engine, struct json message) {
    double sent, answered, now = haptic_current_time();
    if (!json_to_double(json_member(message, "sent"), &sent) ||
        !json_to_double(json_member(message, "time"), &answered) || now < sent / 1e6) {
        return;
    }
    double middle = (sent / 1e6 + now) / 2, *sample = engine->clock[engine->clock_count++ % 64];
    sample[0] = middle;
    sample[1] = answered / 1e6 - middle;
    sample[2] = (now - sent / 1e6) / 2;
    /* After the array of samples has been filled, the count stays at 64 or above. */
    if (engine->clock_count == 128)
        engine->clock_count = 64;
}

/* Returns the next player of a `finished` message as an event. */
static bool next_finished(struct haptic_engine *engine, struct haptic_event *event) {
    struct json list = {engine->finished, engine->finished_end}, player;
    double number;
    if (!engine->finished || !json_next(&list, NULL, &player)) {
        engine->finished = NULL;
        return false;
    }
    engine->finished = list.at;
    event->type = HAPTIC_FINISHED;
    event->player = json_to_double(player, &number) && number >= 0 && number <= UINT32_MAX
                        ? (uint32_t)number
                        : 0;
    return true;
}

static void handle(struct haptic_engine *engine, struct json message, struct haptic_event *event) {
    struct json type = json_member(message, "type"), value;
    double number = 0;
    engine->is_answered = true;
    if (!json_has_type(type, '"')) {
        lost(engine, "invalid message from the process that serves the board");
        event->type = HAPTIC_STOPPED;
    } else if (json_is(type, "connected")) {
        event->type = HAPTIC_CONNECTED;
    } else if (json_is(type, "started")) {
        engine->is_started = true;
        event->type = HAPTIC_STARTED;
    } else if (json_is(type, "finished")) {
        value = json_member(message, "players");
        if (!json_has_type(value, '[')) {
            lost(engine, "invalid message from the process that serves the board: finished");
            event->type = HAPTIC_STOPPED;
            return;
        }
        engine->finished = value.at;
        engine->finished_end = value.end;
        next_finished(engine, event);
    } else if (json_is(type, "measured")) {
        value = json_member(message, "statistics");
        event->type = HAPTIC_MEASURED;
        event->text = value.at;
        event->text_length = value.at ? (size_t)(value.end - value.at) : 0;
    } else if (json_is(type, "faults")) {
        value = json_member(message, "advice");
        json_to_double(json_member(message, "faults"), &number);
        event->type = HAPTIC_FAULTS;
        event->faults = (unsigned)fmax(0, fmin(number, 65535));
        event->text = value.at;
        event->text_length = value.at ? (size_t)(value.end - value.at) : 0;
    } else if (json_is(type, "reset")) {
        engine->is_started = false;
        engine->is_reset = true;
        engine->first_player = engine->last_player + 1;
        event->type = HAPTIC_RESET;
    } else if (json_is(type, "failed") || json_is(type, "lost") || json_is(type, "suspended")) {
        end_for(engine, message, 0);
        event->type = HAPTIC_STOPPED;
    } else if (json_is(type, "refused")) {
        end_for(engine, message, HAPTIC_SERVER_INTERRUPTED);
        event->type = HAPTIC_STOPPED;
    } else if (json_is(type, "stopped")) {
        engine->is_over = true;
        memset(&engine->error, 0, sizeof engine->error);
        event->type = HAPTIC_STOPPED;
    } else if (json_is(type, "output")) {
        event->type = HAPTIC_OUTPUT;
        if (json_to_double(json_member(message, "player"), &number))
            event->player = (uint32_t)fmax(0, fmin(number, UINT32_MAX));
        event->is_playing = json_to_double(json_member(message, "intensity"), &event->intensity);
        json_to_double(json_member(message, "sharpness"), &event->sharpness);
    } else if (json_is(type, "clock")) {
        record_clock(engine, message);
    }
}

/* Handles the next complete message. Returns false if no complete message has been received. */
static bool next_message(struct haptic_engine *engine, struct haptic_event *event) {
    const uint8_t *at = engine->in + engine->in_taken;
    size_t available = engine->in_used - engine->in_taken;
    if (next_finished(engine, event))
        return true;
    if (available < 4 || engine->is_over)
        return false;
    size_t length = (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
    if (length > HAPTIC_MESSAGE_MAX) {
        lost(engine, "a message from the process that serves the board is too long");
        event->type = HAPTIC_STOPPED;
        return true;
    }
    size_t whole = 4 + length + (engine->is_remote ? 32 : 0);
    if (available < whole)
        return false;
    engine->in_taken += whole;
    if (engine->is_remote) {
        uint8_t code[32];
        seal(engine, 1, at, 4 + length, code);
        if (!is_equal(code, at + 4 + length)) {
            lost(engine, "the authentication code of a message does not match the key");
            event->type = HAPTIC_STOPPED;
            return true;
        }
    }
    struct json in = {(const char *)at + 4, (const char *)at + 4 + length}, message;
    bool is_json = json_value(&in, &message, 0);
    json_space(&in);
    if (!is_json || in.at != in.end || !json_has_type(message, '{')) {
        lost(engine, "invalid message from the process that serves the board: not JSON");
        event->type = HAPTIC_STOPPED;
        return true;
    }
    handle(engine, message, event);
    return true;
}

static void read_socket(struct haptic_engine *engine) {
    if (engine->in_taken > 0) {
        memmove(engine->in, engine->in + engine->in_taken, engine->in_used - engine->in_taken);
        engine->in_used -= engine->in_taken;
        engine->in_taken = 0;
    }
    ssize_t count =
        recv(engine->socket, engine->in + engine->in_used, sizeof engine->in - engine->in_used, 0);
    if (count > 0) {
        engine->in_used += (size_t)count;
        engine->received = haptic_current_time();
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        lost(engine, "the process that serves the board has ended");
    }
}

static double sign_of_life(const struct haptic_engine *engine) {
    bool is_fast = engine->is_remote && engine->clock_count < CLOCK_ANSWERS;
    double first = engine->is_remote && engine->asked < engine->sent ? engine->asked : engine->sent;
    return first + (is_fast ? CLOCK_INTERVAL : ALIVE_INTERVAL);
}

static void tick(struct haptic_engine *engine, double now) {
    if (now - engine->received > SILENCE_LIMIT) {
        lost(engine, "the process that serves the board does not answer");
    } else if (now >= sign_of_life(engine)) {
        begin(engine);
        if (engine->is_remote)
            put(engine, "\"time\":%lld", to_microseconds(now));
        engine->asked = now;
        send_message(engine, engine->is_remote ? "clock" : "alive");
    }
}

int haptic_engine_poll(struct haptic_engine *engine, int timeout_ms, struct haptic_event *event) {
    double end = haptic_current_time() + timeout_ms / 1000.0;
    memset(event, 0, sizeof *event);
    if (engine->socket <= 0 || engine->is_over) {
        return engine->error.code != 0 ? engine->error.code : HAPTIC_ENGINE_NOT_RUNNING;
    }
    while (true) {
        while (event->type == HAPTIC_NO_EVENT && next_message(engine, event)) {
        }
        double now = haptic_current_time();
        if (event->type == HAPTIC_NO_EVENT && !engine->is_over) {
            double until = fmin(end, sign_of_life(engine));
            struct pollfd request = {engine->socket, POLLIN, 0};
            int wait = until > now ? (int)ceil((until - now) * 1000) : 0;
            if (poll(&request, 1, wait) > 0) {
                read_socket(engine);
            } else if ((now = haptic_current_time()) >= end) {
                tick(engine, now);
                if (!engine->is_over)
                    return 0;
            }
        }
        if (!engine->is_over)
            tick(engine, haptic_current_time());
        if (engine->is_over) {
            event->type = HAPTIC_STOPPED;
            return 0;
        }
        if (event->type != HAPTIC_NO_EVENT)
            return 0;
    }
}

int haptic_engine_wait(struct haptic_engine *engine, uint32_t player, int timeout_ms) {
    double end = haptic_current_time() + timeout_ms / 1000.0;
    struct haptic_event event;
    while (haptic_current_time() < end) {
        int code = haptic_engine_poll(engine, (int)((end - haptic_current_time()) * 1000), &event);
        if (code != 0)
            return code;
        if (event.type == HAPTIC_STOPPED)
            return engine->error.code;
        if (event.type == HAPTIC_FINISHED && event.player == player)
            return 0;
        if (event.type == HAPTIC_RESET)
            return begin_command(engine, player, 0, 0);
    }
    return fail(&engine->error, HAPTIC_ENGINE_START_TIMEOUT, "",
                "the player did not end within the given time");
}

/* ---- The connection ----------------------------------------------------------------------- */

static void prepare(int socket) {
    int on = 1;
    fcntl(socket, F_SETFL, O_NONBLOCK);
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
#ifdef SO_NOSIGPIPE
    setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
}

/* Writes the path of the folder that contains the sockets. */
static void socket_folder(char *path, size_t size) {
    char own[64];
    snprintf(own, sizeof own, "/run/user/%u", (unsigned)geteuid());
    const char *const folders[2] = {getenv("XDG_RUNTIME_DIR"), own}, *temporary = getenv("TMPDIR");
    for (int i = 0; i < 2; i++) {
        struct stat status;
        if (folders[i] && *folders[i] == '/' &&
            strlen(folders[i]) <= SOCKET_MAX - strlen("/haptic-bridge/") - 16 &&
            stat(folders[i], &status) == 0 && S_ISDIR(status.st_mode) &&
            status.st_uid == geteuid()) {
            snprintf(path, size, "%s/haptic-bridge", folders[i]);
            return;
        }
    }
    snprintf(path, size, "%s/haptic-bridge-%u", temporary && *temporary ? temporary : "/tmp",
             (unsigned)geteuid());
}

static void socket_path(const char *port, char *path, size_t size) {
    char folder[PATH_MAX], real[PATH_MAX], digits[65];
    socket_folder(folder, sizeof folder);
    if (!realpath(port, real))
        snprintf(real, sizeof real, "%s", port);
    for (char *at = real + 1; *at; at++) {
        if (*at == '/')
            *at = '+';
    }
    if (strlen(folder) + 1 + strlen(real + 1) > SOCKET_MAX) {
        struct sha256 hash;
        uint8_t digest[32];
        sha256_begin(&hash);
        sha256_add(&hash, real + 1, strlen(real + 1));
        sha256_end(&hash, digest);
        to_hexadecimal(digest, 8, digits);
        snprintf(path, size, "%s/%s", folder, digits);
    } else {
        snprintf(path, size, "%s/%s", folder, real + 1);
    }
}

/* Returns the descriptor of a connection to a socket; -1 if no process serves the socket. */
static int connected(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat status;
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (!slash || strlen(path) >= sizeof address.sun_path)
        return -1;
    *slash = 0;
    if (lstat(folder, &status) != 0 || status.st_uid != geteuid() || status.st_mode & 077)
        return -1;
    memcpy(address.sun_path, path, strlen(path) + 1);
    int client = socket(AF_UNIX, SOCK_STREAM, 0);
    if (client < 0)
        return -1;
    if (connect(client, (struct sockaddr *)&address, sizeof address) != 0) {
        close(client);
        return -1;
    }
    prepare(client);
    return client;
}

/* Connects to the only board that is served. */
static int only_served(struct haptic_engine *engine) {
    char folder[PATH_MAX], path[2 * PATH_MAX];
    int client = -1, count = 0;
    socket_folder(folder, sizeof folder);
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        int found = connected(path);
        if (found < 0)
            continue;
        if (client >= 0)
            close(client);
        client = found;
        count++;
    }
    if (entries)
        closedir(entries);
    if (count == 1)
        return client;
    if (client >= 0)
        close(client);
    fail(&engine->error, HAPTIC_SERVER_INIT_FAILED,
         "name the port, set BRIDGE_PORT, or run `bridge serve`",
         count == 0 ? "no board is served, and no port is given" : "several boards are served");
    return -1;
}

/* Finds the program that serves boards: the program that BRIDGE_SERVER names, or by default
 * haptic-bridge in PATH. */
static bool find_program(char path[PATH_MAX]) {
    const char *named = getenv("BRIDGE_SERVER"), *at = getenv("PATH");
    char candidate[PATH_MAX];
    /* The path is made absolute, because the server is started in another folder. */
    if (named)
        return *named && realpath(named, path);
    while (at && *at) {
        size_t length = strcspn(at, ":");
        snprintf(candidate, sizeof candidate, "%.*s/haptic-bridge", (int)length, at);
        if (*at == '/' && access(candidate, X_OK) == 0 && realpath(candidate, path))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

static pid_t start_program(const char *program, const char *port) {
    pid_t process = fork();
    if (process != 0)
        return process;
    int null = open("/dev/null", O_RDWR);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int i = 0; i < 3; i++)
        dup2(null, i);
    for (int i = 3; i < 1024; i++)
        close(i);
    setsid();
    if (chdir("/") == 0) {
        execl(program, program, "serve", "--port", port, "--until-idle", (char *)NULL);
    }
    _exit(127);
}

static void sleep_for(double seconds) {
    struct timespec time = {0, (long)(seconds * 1e9)};
    nanosleep(&time, NULL);
}

/* Connects to the server of a port, and starts the server if it is not running. */
static int connect_local(struct haptic_engine *engine, const char *port) {
    char path[2 * PATH_MAX], program[PATH_MAX], real[PATH_MAX], advice[512];
    socket_path(port, path, sizeof path);
    int client = connected(path), status = 0;
    if (client >= 0)
        return client;
    if (!realpath(port, real)) {
        fail(&engine->error, HAPTIC_NOT_SUPPORTED,
             "connect the board; `bridge list` lists the ports", "%s: there is no such port", port);
        return -1;
    }
    snprintf(advice, sizeof advice, "run `bridge serve --port %.400s`", port);
    if (find_program(program)) {
        pid_t process = start_program(program, real);
        double end = haptic_current_time() + START_TIME;
        bool is_running = process > 0;
        while (haptic_current_time() < end && process > 0) {
            if (is_running)
                is_running = waitpid(process, &status, WNOHANG) == 0;
            if ((client = connected(path)) >= 0)
                return client;
            /* If the exit status is 75, another process that uses the port may be about to serve
               the board. */
            if (!is_running && !(WIFEXITED(status) && WEXITSTATUS(status) == 75))
                break;
            sleep_for(is_running ? 0.005 : 0.05);
        }
    }
    fail(&engine->error, HAPTIC_SERVER_INIT_FAILED, advice, "no program serves the board at %s",
         port);
    return -1;
}

static bool read_key(struct haptic_engine *engine, const char *path, uint8_t key[32]) {
    char text[257];
    struct stat status;
    int file = open(path, O_RDONLY);
    ssize_t count = -1;
    bool is_private = file >= 0 && fstat(file, &status) == 0 && !(status.st_mode & 077) &&
                      (status.st_uid == 0 || status.st_uid == geteuid());
    if (is_private)
        count = read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[count < 0 ? 0 : count] = 0;
    if (is_private && from_hexadecimal(text, key, true))
        return true;
    fail(&engine->error, HAPTIC_SERVER_INIT_FAILED,
         "`bridge serve --tcp` creates a key; copy its file, and protect it with `chmod 600`",
         file >= 0 && !is_private ? "%s: other users can read this key file"
                                  : "%s: not a key of 64 hexadecimal digits",
         path);
    return false;
}

static int connect_remote(struct haptic_engine *engine, const char *url) {
    char host[256];
    const char *address = url + strlen("tcp://"), *colon = strrchr(address, ':');
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    int client = -1;
    if (colon && (size_t)(colon - address) < sizeof host) {
        snprintf(host, sizeof host, "%.*s", (int)(colon - address), address);
        char *name = host;
        size_t length = strlen(host);
        if (*host == '[' && length > 1)
            host[length - 1] = 0, name++;
        if (getaddrinfo(name, colon + 1, &hints, &found) != 0)
            found = NULL;
    }
    for (struct addrinfo *at = found; at && client < 0; at = at->ai_next) {
        client = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
        if (client < 0)
            continue;
        prepare(client);
        struct pollfd request = {client, POLLOUT, 0};
        int error = 0;
        socklen_t size = sizeof error;
        bool is_begun = connect(client, at->ai_addr, at->ai_addrlen) == 0 || errno == EINPROGRESS;
        if (!is_begun || poll(&request, 1, (int)(START_TIME * 1000)) != 1 ||
            getsockopt(client, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) {
            close(client);
            client = -1;
        }
    }
    if (found)
        freeaddrinfo(found);
    if (client < 0) {
        fail(&engine->error, HAPTIC_NOT_SUPPORTED,
             "the address is tcp://HOST:PORT; at the board, run `bridge serve --tcp`",
             "%s: the computer does not answer", url);
    }
    return client;
}

/* Reads a line of the proofs, byte by byte, so that no byte after the line is consumed. */
static bool read_line(struct haptic_engine *engine, char *line, size_t size, double end) {
    size_t used = 0;
    while (used + 1 < size) {
        ssize_t count = recv(engine->socket, line + used, 1, 0);
        if (count == 1 && line[used] == '\n') {
            line[used] = 0;
            return true;
        }
        if (count == 1) {
            used++;
            continue;
        }
        double now = haptic_current_time();
        if (count == 0 || (errno != EAGAIN && errno != EINTR) || now >= end)
            return false;
        struct pollfd request = {engine->socket, POLLIN, 0};
        poll(&request, 1, (int)((end - now) * 1000) + 1);
    }
    return false;
}

static void prove(const uint8_t key[32], const char *purpose, const uint8_t numbers[64],
                  uint8_t code[32]) {
    hmac(key, purpose, strlen(purpose), numbers, 64, code);
}

/* Exchanges the proofs that both sides have the key. */
static int exchange_proofs(struct haptic_engine *engine, const uint8_t key[32], const char *url) {
    static const char greeting[] = "haptic-bridge 1 ";
    double end = haptic_current_time() + START_TIME;
    char line[160], answer[131];
    uint8_t numbers[64], code[32], given[32];
    int source = open("/dev/urandom", O_RDONLY);
    bool is_random = source >= 0 && read(source, numbers + 32, 32) == 32;
    if (source >= 0)
        close(source);
    if (!is_random || !read_line(engine, line, sizeof line, end) ||
        strncmp(line, greeting, strlen(greeting)) != 0 ||
        !from_hexadecimal(line + strlen(greeting), numbers, false)) {
        return fail(&engine->error, HAPTIC_SERVER_INIT_FAILED,
                    "at the board, run `bridge serve --tcp`",
                    "%s: the program at this address does not serve a board", url);
    }
    prove(key, "client proves", numbers, code);
    to_hexadecimal(numbers + 32, 32, answer);
    answer[64] = ' ';
    to_hexadecimal(code, 32, answer + 65);
    answer[129] = '\n';
    prove(key, "server proves", numbers, code);
    if (send_bytes(engine, (const uint8_t *)answer, 130) != 0 ||
        !read_line(engine, line, sizeof line, end) || !from_hexadecimal(line, given, false) ||
        !is_equal(code, given)) {
        return fail(&engine->error, HAPTIC_SERVER_INIT_FAILED,
                    "copy the key file of the server again", "%s: the server has a different key",
                    url);
    }
    prove(key, "client speaks", numbers, engine->keys[0]);
    prove(key, "server speaks", numbers, engine->keys[1]);
    engine->is_remote = true;
    return 0;
}

static void put_hello(struct haptic_engine *engine, const struct haptic_options *options) {
    begin(engine);
    put(engine, "\"locality\":");
    put_string(engine, options->locality ? options->locality : "default");
    put(engine, ",\"output\":true,\"program\":");
    put_string(engine, options->program ? options->program : "a C program");
    put(engine, ",\"purpose\":\"play\"");
}

/* Makes an engine for a connected socket, and sends the first message. */
static int begin_session(struct haptic_engine *engine, const struct haptic_options *options,
                         const uint8_t *key, const char *url) {
    double now = haptic_current_time();
    engine->sent = engine->asked = engine->received = now;
    engine->first_player = 1;
    if (key && exchange_proofs(engine, key, url) != 0)
        return engine->error.code;
    put_hello(engine, options);
    engine->sent = engine->asked = engine->received = haptic_current_time();
    /* The version number follows the type of the message. */
    put(engine, ",\"type\":\"hello\",\"version\":3}");
    return transmit(engine);
}

static void close_socket(struct haptic_engine *engine) {
    if (engine->socket > 0)
        close(engine->socket);
    engine->socket = -1;
    engine->is_over = true;
}

static int wait_for_start(struct haptic_engine *engine) {
    struct haptic_event event;
    double end = haptic_current_time() + START_TIMEOUT;
    while (haptic_current_time() < end) {
        bool is_clock_known = !engine->is_remote || engine->clock_count >= CLOCK_ANSWERS;
        if (engine->is_started && is_clock_known)
            return 0;
        int code = haptic_engine_poll(engine, is_clock_known ? 100 : 5, &event);
        if (code != 0 || event.type == HAPTIC_STOPPED) {
            if (engine->error.code == 0)
                engine->error.code = HAPTIC_SERVER_INIT_FAILED;
            return engine->error.code;
        }
    }
    return fail(&engine->error, HAPTIC_ENGINE_START_TIMEOUT,
                "run `bridge info`, which shows the state of the board",
                "the engine did not start in time");
}

int haptic_engine_start(struct haptic_engine *engine, const struct haptic_options *options) {
    static const struct haptic_options standard = {NULL, NULL, NULL, NULL};
    if (!options)
        options = &standard;
    const char *port = options->port ? options->port : getenv("BRIDGE_PORT");
    const char *key_file = options->key_file ? options->key_file : getenv("BRIDGE_KEY_FILE");
    bool is_remote = port && strncmp(port, "tcp://", 6) == 0;
    double end = haptic_current_time() + START_TIME;
    uint8_t key[32];
    int code;
    do {
        memset(engine, 0, offsetof(struct haptic_engine, in));
        engine->socket = -1;
        if (is_remote && (!key_file || !*key_file)) {
            fail(&engine->error, HAPTIC_SERVER_INIT_FAILED,
                 "name the key file, or set BRIDGE_KEY_FILE", "%s: no key is given", port);
        } else if (!is_remote || read_key(engine, key_file, key)) {
            engine->socket = is_remote       ? connect_remote(engine, port)
                             : port && *port ? connect_local(engine, port)
                                             : only_served(engine);
        }
        if (engine->socket < 0) {
            engine->is_over = true;
            return engine->error.code;
        }
        /* In an engine that was never started, `socket` is 0. Therefore, a socket must not have the
           number 0. */
        if (engine->socket == 0) {
            engine->socket = fcntl(0, F_DUPFD_CLOEXEC, 3);
            close(0);
        }
        code = begin_session(engine, options, is_remote ? key : NULL, port);
        if (code == 0)
            code = wait_for_start(engine);
        if (code == 0)
            return 0;
        close_socket(engine);
        /* A server that is about to end may accept a connection without answering; in this case,
         * connects again. */
    } while (!engine->is_answered && !is_remote && haptic_current_time() < end);
    return code;
}

int haptic_engine_restart(struct haptic_engine *engine) {
    if (!engine->is_reset || engine->is_over)
        return check_running(engine);
    engine->is_reset = false;
    begin(engine);
    int code = send_message(engine, "restart");
    return code != 0 ? code : wait_for_start(engine);
}

void haptic_engine_stop(struct haptic_engine *engine) {
    struct haptic_event event;
    double end = haptic_current_time() + SILENCE_LIMIT;
    if (engine->socket > 0 && !engine->is_over) {
        begin(engine);
        if (send_message(engine, "end") == 0) {
            while (!engine->is_over && haptic_current_time() < end) {
                haptic_engine_poll(engine, 100, &event);
            }
        }
    }
    close_socket(engine);
}

size_t haptic_engine_size(void) { return sizeof(struct haptic_engine); }

const struct haptic_error *haptic_engine_error(const struct haptic_engine *engine) {
    return &engine->error;
}
