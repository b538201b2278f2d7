// The timer of the ESP32. A separate task calls the callbacks of the timer.
#ifndef ESP_TIMER_H
#define ESP_TIMER_H

#include "Arduino.h"

#define ESP_OK 0

typedef struct {
    void (*callback)(void *argument);
    void *arg;
    int dispatch_method;
    const char *name;
    bool skip_unhandled_events;
} esp_timer_create_args_t;

typedef void (*esp_timer_handle_t)(void *argument);

inline int esp_timer_create(const esp_timer_create_args_t *arguments, esp_timer_handle_t *timer) {
    *timer = arguments->callback;
    return ESP_OK;
}

inline int esp_timer_start_periodic(esp_timer_handle_t timer, uint64_t period_us) {
    static esp_timer_handle_t callback;
    callback = timer;
    api_call_every((uint32_t)period_us, [] { callback(nullptr); });
    return ESP_OK;
}

#endif
