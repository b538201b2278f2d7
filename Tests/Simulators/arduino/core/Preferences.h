// Preferences: the records that sketch-board stores, in one namespace.
#ifndef PREFERENCES_H
#define PREFERENCES_H

#include "Arduino.h"

class Preferences {
  public:
    bool begin(const char *, bool) { return true; }
    bool isKey(const char *key) { return api_has_record(key); }
    size_t getBytesLength(const char *key) { return api_record(key, nullptr, 0); }
    size_t getBytes(const char *key, void *bytes, size_t size) {
        return api_record(key, (uint8_t *)bytes, size);
    }
    size_t putBytes(const char *key, const void *bytes, size_t size) {
        return api_put_record(key, (const uint8_t *)bytes, size) ? size : 0;
    }
    bool remove(const char *key) {
        api_remove_record(key);
        return true;
    }
};

#endif
