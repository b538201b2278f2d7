/*
 * The watch: a timer that sets EN low if the sketch does not call update() early enough for the
 * dead-man stop. On a core that offers no timer to sketches, the actuator keeps its level if loop()
 * never ends. If loop() ends late, the next update() detects the delay.
 */
#include "board.h"

extern "C" {
#include "core/driver/driver.h"
#include "core/support/time.h"
}

/* The delay between the time of the dead-man stop and the time of the watch. The dead-man stop
   takes precedence, because it brings actuators to rest more gently. */
#define GRACE_US 20000u

#define PERIOD_US 5000

static volatile bool isArmed;
static volatile bool hasTripped;
static volatile uint32_t deadline_us;

static void check() {
    if (isArmed && bridge_is_due(deadline_us, board_now_us())) {
        isArmed = false;
        hasTripped = true;
        disableDrivers();
    }
}

void feedWatch() {
    bool mayDrive = false;
    for (uint8_t index = 0; index < hardware.count; index++) {
        mayDrive |= driver_may_drive(&port_bridge.actuators[index]);
    }
    isArmed = false;
    deadline_us = port_bridge.last_valid_frame_us + BRIDGE_DEAD_MAN_US + GRACE_US;
    isArmed = mayDrive && !hasTripped;
}

bool hasWatchTripped() {
    check();
    bool tripped = hasTripped;
    hasTripped = false;
    return tripped;
}

/* ---- Timers ------------------------------------------------------------------------------ */

#if defined(TIMER0_COMPB_vect) && defined(OCIE0B)

/* Checks the time in the interrupt of compare unit B of Timer0, the timer of millis() on an AVR.
   The interrupt occurs every 1.024 ms, even while analogWrite() uses the compare unit. */
ISR(TIMER0_COMPB_vect) { check(); }

void startWatch() { TIMSK0 |= _BV(OCIE0B); }

#elif defined(ARDUINO_ARCH_ESP32)

#include <esp_timer.h>

static void onTimer(void *) { check(); }

void startWatch() {
    static esp_timer_handle_t timer;
    esp_timer_create_args_t arguments = {};
    arguments.callback = onTimer;
    arguments.name = "haptic bridge";
    if (!timer && esp_timer_create(&arguments, &timer) == ESP_OK) {
        esp_timer_start_periodic(timer, PERIOD_US);
    }
}

#elif defined(ARDUINO_NRF52_ADAFRUIT)

static void onTimer(TimerHandle_t) { check(); }

void startWatch() {
    static SoftwareTimer timer;
    static bool runs;
    if (!runs) {
        runs = true;
        timer.begin(PERIOD_US / 1000, onTimer);
        timer.start();
    }
}

#elif defined(TEENSYDUINO)

void startWatch() {
    static IntervalTimer timer;
    static bool runs;
    runs = runs || timer.begin(check, PERIOD_US);
}

#else

void startWatch() {}

#endif
