// The functions of the board that the Arduino core of a sketch calls. The time of the board
// advances only in these functions. The core (core/Arduino.h) is C++ code in the shared library of
// the sketch. The shared library is linked to these functions, which are part of the simulator.
#ifndef API_H
#define API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Time ----

uint32_t api_now_us(void);
void api_spend_us(uint32_t us);

// Sets the function that the interrupt or task of a timer calls from now on, at intervals of
// `period_us`.
void api_call_every(uint32_t period_us, void (*callback)(void));

// ---- Pins: EN of chip n is pin 4 + n, SDA and SCL are 18 and 19 ----

#define API_LED 13
#define API_SDA 18
#define API_SCL 19

void api_set_direction(uint8_t pin, bool is_output);
void api_set_level(uint8_t pin, bool is_high);
bool api_level(uint8_t pin);

// ---- The USB port, which delays the bytes that do not fit into its buffer ----

size_t api_received(void);
uint8_t api_take(void);
size_t api_room(void);
void api_send(const uint8_t *bytes, size_t size);

// ---- The bus ----

// Connects the pins of the bus to the I2C peripheral or, if `on` is false, to the ports.
void api_connect_bus(bool on);
// Sets the timeout after which a transfer on a held bus fails; 0 means no timeout.
void api_limit_bus(uint32_t us);
void api_set_bus_clock(uint32_t hz);
// Returns the result of TwoWire::endTransmission: 0 for success, 2 or 3 for a NACK, and 5 for a bus
// that is held.
uint8_t api_write_bus(uint8_t address, const uint8_t *bytes, size_t size, bool stops);
bool api_read_bus(uint8_t address, uint8_t *byte);

// ---- Memory ----

#define API_CELLS 4096u

uint8_t api_cell(uint16_t address);
void api_write_cell(uint16_t address, uint8_t value);

// Functions for a record in a store with keys, such as NVS. The size of a record is 0 if there is
// no record with the key.
#define API_RECORD_MAX 64u
bool api_has_record(const char *key);
size_t api_record(const char *key, uint8_t *bytes, size_t size);
bool api_put_record(const char *key, const uint8_t *bytes, size_t size);
void api_remove_record(const char *key);

#ifdef __cplusplus
}
#endif

#endif
