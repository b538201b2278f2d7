// A model of an accelerometer: its registers on the I2C bus, its FIFO, and the chain from the
// acceleration to a sample. Three chips are modeled: LIS3DH (ST DocID17530, AN3308), LIS2DW12 (ST
// DS11811, AN5038) and LSM6DSO (ST DS12140, AN5192).
//
// The model does no I/O and does not read a clock: every function takes the argument `now_us`, as
// in drv2605_model.h. The chip samples with its own clock. The chain first filters the acceleration
// with a second-order Butterworth low-pass, whose bandwidth is from the data sheet and whose rate
// is eight times the sample rate. The chain then applies the gain of each axis, adds offset and
// noise, rounds and clips. The delay of the chain is the group delay of the filter.
//
// Behavior that the data sheets do not define is marked "invented". Interrupts, motion detection,
// self-test, temperature, the gyroscope, the sensor hub, the low-power mode of the LIS3DH, and the
// power and noise of the low-power modes of the LIS2DW12 are not modeled.
#ifndef ACCELEROMETER_MODEL_H
#define ACCELEROMETER_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define ACCELEROMETER_REGISTER_COUNT 0x80u
#define ACCELEROMETER_FIFO_MAX 512u
#define ACCELEROMETER_AXES 3u

enum accelerometer_kind {
    ACCELEROMETER_NONE, // no chip: no address is acknowledged
    ACCELEROMETER_LIS3DH,
    ACCELEROMETER_LIS2DW12,
    ACCELEROMETER_LSM6DSO,
};

// The filter of one axis: its coefficients, and its state.
struct accelerometer_filter {
    double gain, feedback_1, feedback_2;
    double state_1[ACCELEROMETER_AXES], state_2[ACCELEROMETER_AXES];
};

// A chip. The settings may be written at any time; accelerometer_model_init sets the defaults.
struct accelerometer_model {
    // ---- Settings ----
    uint8_t address;    // 7 bits; the default is the address with SA0 low
    uint8_t who_am_i;   // the value of WHO_AM_I; a value that differs from the default represents
                        // another chip
    double clock_ratio; // the rate of the chip's clock, relative to the nominal rate; 0.95 to
                        // 1.05 on real chips, default 1
    double gain[ACCELEROMETER_AXES];     // default 1; 0.9 to 1.1 on real chips
    double offset_g[ACCELEROMETER_AXES]; // default 0
    double noise_g;                      // standard deviation of a sample
    uint64_t seed;                       // seed of the noise, not 0
    // Returns the acceleration at a time, gravity included, in g. The times never decrease.
    void (*acceleration)(void *owner, uint64_t now_us, double g[ACCELEROMETER_AXES]);
    void *owner;

    // ---- Findings ----
    uint32_t
        undefined_accesses; // number of accesses to registers or modes that the model does not have
    uint8_t last_undefined_register;
    uint64_t samples; // the number of samples that the FIFO has received, including lost samples
    uint64_t lost;    // the number of samples that the FIFO has lost because it was full

    // ---- State, private to the model ----
    enum accelerometer_kind kind;
    bool powered;
    bool selected, reading, pointer_next;
    uint8_t pointer;
    bool increments; // LIS3DH: bit 7 of the register address
    uint8_t
        registers[ACCELEROMETER_REGISTER_COUNT]; // the values of the registers that can be written
    uint64_t now_us;
    double next_tick_us; // the time of the next step of the filter
    double tick_us;      // the period of the filter steps; 0 while the chip does not sample
    unsigned ticks;      // number of filter steps since the last sample
    struct accelerometer_filter filter;
    int16_t output[ACCELEROMETER_AXES]; // the newest sample
    bool has_output;                    // the newest sample has not been read
    int16_t fifo[ACCELEROMETER_FIFO_MAX][ACCELEROMETER_AXES];
    unsigned head, count; // index of the oldest sample, and number of samples
    bool has_overrun;
    uint8_t tag_count; // LSM6DSO: the low bits of the number of the sample that is being read
};

// Initializes a powered chip in its state after power-up: it does not sample.
void accelerometer_model_init(struct accelerometer_model *model, enum accelerometer_kind kind,
                              uint64_t now_us);

// Switches the supply on or off. Without power, the chip does not acknowledge any byte. When the
// supply is switched on, the registers are set to their reset values.
void accelerometer_model_power(struct accelerometer_model *model, uint64_t now_us, bool on);

// Takes the samples up to `now_us`. The owner must call this function before it changes the
// acceleration for a reason other than the passage of time.
void accelerometer_model_advance(struct accelerometer_model *model, uint64_t now_us);

// ---- The I2C slave, byte by byte, as in drv2605_model.h ----

bool accelerometer_model_start(struct accelerometer_model *model, uint64_t now_us,
                               uint8_t address_byte);
bool accelerometer_model_write_byte(struct accelerometer_model *model, uint64_t now_us,
                                    uint8_t byte);
uint8_t accelerometer_model_read_byte(struct accelerometer_model *model, uint64_t now_us);
void accelerometer_model_stop(struct accelerometer_model *model, uint64_t now_us);

// Returns the byte that the next read returns, without any other effect.
uint8_t accelerometer_model_next_byte(const struct accelerometer_model *model);

// ---- Properties of the current settings ----

// The sample rate in Hz if the chip's clock is nominal; 0 while the chip does not sample.
double accelerometer_model_rate_hz(const struct accelerometer_model *model);
// The bandwidth of the chain in Hz.
double accelerometer_model_bandwidth_hz(const struct accelerometer_model *model);
// The acceleration of one step of the 16-bit value of a sample, in g.
double accelerometer_model_step_g(const struct accelerometer_model *model);

#endif
