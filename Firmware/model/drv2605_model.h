// A model of a DRV2605 or DRV2605L: its behavior on the I2C bus, and its output stage.
//
// The sources are TI datasheets SLOS854D (DRV2605L, March 2018) and SLOS825E (DRV2605, April 2018),
// cited by page. Behavior that these datasheets do not define is marked "invented" in a comment,
// and the model counts accesses that depend on such behavior.
//
// The model does no I/O and does not read a clock: every function takes the argument `now_us`, the
// time in microseconds of a clock that never wraps. If `now_us` is earlier than in the previous
// call, the call is executed at the time of the previous call. Each call first executes the chip's
// own events that are due by `now_us` (the end of a waveform, of a calibration or of a reset), each
// at its exact time.
//
// The model does not include the delay of 0.7 ms between GO and the output (SLOS854D p7), PWM,
// analog and audio input, the trigger pin, or the noise gate. The model does not use volts: a drive
// is a fraction of full scale.
#ifndef DRV2605_MODEL_H
#define DRV2605_MODEL_H

#include <stdbool.h>
#include <stdint.h>

// DEVICE_ID in STATUS[7:5] (SLOS854D p36).
#define MODEL_ID_DRV2605 3u
#define MODEL_ID_DRV2605L 7u

// The 7-bit address, which is fixed; there is no address pin (SLOS854D p26-27).
#define MODEL_I2C_ADDRESS 0x5Au

// Registers are 0x00...0x22 (SLOS854D p35).
#define MODEL_REGISTER_COUNT 0x23u
#define MODEL_SLOT_COUNT 8u

// A time that is never reached.
#define MODEL_NEVER UINT64_MAX

// The outcome of the calibrations (MODE 7) that start after it has been set.
enum drv2605_model_calibration {
    MODEL_CALIBRATION_PASSES,         // DIAG_RESULT 0, results in 0x18, 0x19 and 0x1A[1:0]
    MODEL_CALIBRATION_FAILS,          // DIAG_RESULT 1, the registers do not change (invented)
    MODEL_CALIBRATION_NEVER_FINISHES, // GO stays 1 until it is canceled
};

// The outcome of the diagnostics (MODE 6) that start after it has been set.
enum drv2605_model_diagnostics {
    MODEL_DIAGNOSTICS_OK,      // DIAG_RESULT 0
    MODEL_DIAGNOSTICS_OPEN,    // DIAG_RESULT 1
    MODEL_DIAGNOSTICS_SHORTED, // DIAG_RESULT 1
};

// The time at which a new value of OL_LRA_PERIOD takes effect while the chip drives an LRA in open
// loop. The datasheet does not specify this time; these are the plausible possibilities.
enum drv2605_model_period_rule {
    MODEL_PERIOD_AT_NEXT_HALF_CYCLE, // when the current half-cycle ends
    MODEL_PERIOD_IMMEDIATELY,        // immediately: the current half-cycle is cut off
    MODEL_PERIOD_AT_NEXT_START,      // when the drive next begins from 0
};

// The actuator that is connected.
enum drv2605_model_attached {
    MODEL_ATTACHED_AS_CONFIGURED, // the kind in N_ERM_LRA
    MODEL_ATTACHED_LRA,           // with N_ERM_LRA 0, calibrations fail (invented)
    MODEL_ATTACHED_ERM,           // with N_ERM_LRA 1, calibrations fail (invented)
};

// The process that runs while GO reads 1.
enum drv2605_model_process {
    MODEL_PROCESS_IDLE,
    MODEL_PROCESS_SEQUENCE,    // MODE 0
    MODEL_PROCESS_DIAGNOSTICS, // MODE 6
    MODEL_PROCESS_CALIBRATION, // MODE 7
};

// A chip. A program may have any number of chips; a copy is an independent chip in the same state.
struct drv2605_model {
    // ---- Settings: drv2605_model_init sets the defaults; they may be written at any time. ----

    // The time after DEV_RESET during which the chip NACKs, in us. The default is 5,000: the
    // datasheet does not specify a number, and a maintainer of a public driver measured less than
    // 25 ms.
    uint32_t reset_time_us;
    // The time after EN rises during which the chip acknowledges bytes and ignores them, in us.
    // The default is 0: the datasheet does not specify a number, and public drivers wait 250 us.
    uint32_t wake_time_us;
    // True if the reserved bits of the settings registers read as 1 instead of 0.
    bool reserved_bits_read_one;
    // The supply voltage VDD in mV, 2,000...5,200, which VBAT reports (SLOS854D p35). Default
    // 5,000.
    uint32_t supply_mv;
    // The decrease of VDD at full drive, in mV; proportional to the drive. Default 0.
    uint32_t sag_mv;
    // The actuator that is connected. Default MODEL_ATTACHED_AS_CONFIGURED.
    enum drv2605_model_attached attached;
    // The resonance of the LRA in mHz, which LRA_PERIOD reports (SLOS854D p35). Default 170,000.
    uint32_t resonance_millihertz;
    // The effect of OL_LRA_PERIOD during a drive. Default MODEL_PERIOD_AT_NEXT_HALF_CYCLE.
    enum drv2605_model_period_rule period_rule;
    // The outcome of MODE 7. Default MODEL_CALIBRATION_PASSES.
    enum drv2605_model_calibration calibration;
    // The results of a calibration that passes: A_CAL_COMP, A_CAL_BEMF, BEMF_GAIN 0...3. The
    // defaults 0x09, 0x79 and 1 were published for a 205 Hz LRA.
    uint8_t calibrated_compensation;
    uint8_t calibrated_back_emf;
    uint8_t calibrated_gain;
    // The outcome of MODE 6. Default MODEL_DIAGNOSTICS_OK.
    enum drv2605_model_diagnostics diagnostics;

    // ---- Findings: they may be read at any time; only drv2605_model_init clears them. ----

    // The number of accesses that the datasheet does not define:
    // - while GO is 1: a write to SEQ1-8 or 0x16-0x20, a write that changes LIBRARY_SEL, a write of
    //   1 to GO, and a write to MODE that sets neither STANDBY nor DEV_RESET (the datasheet defines
    //   that GO = 0, STANDBY, DEV_RESET, HI_Z and RTP_INPUT take effect immediately);
    // - a write of 1 to GO in standby or in a mode that does not use GO;
    // - a read or a write of a register that the chip does not have; a write to a read-only
    //   register or a reserved bit;
    // - real-time playback in a format outside the table in SLOS854D p30-32; a sequence that
    //   contains a ROM effect above 123.
    uint32_t undefined_accesses;
    // The register of the last access that the datasheet does not define.
    uint8_t last_undefined_register;
    // The number of starts of real-time playback, by a write to MODE, the end of standby or a rise
    // of EN, while RTP_INPUT already contained a drive. A careful driver first writes 0 to
    // RTP_INPUT.
    uint32_t stale_rtp_starts;
    // The number of accesses that the model cannot simulate: a switch to MODE 1, 2, 3 or 4, whose
    // drive is not modeled; a write of 1 to GO in such a mode; and real-time playback on an LRA in
    // open loop on a DRV2605, which supports open loop only with a PWM clock.
    uint32_t unmodelled_modes;
    // The number of transfers in which no byte followed for more than 4.33 ms (SLOS854D p19). The
    // chip discards such a transfer, except in standby, where the transfer stays open.
    uint32_t stalled_transfers;
    // True once a write has set OTP_PROGRAM (0x1E bit 0), at any supply voltage. On a real chip,
    // programming is permanent, so every test harness asserts that this field is false.
    bool otp_programmed;

    // ---- State, private to the model. ----

    uint8_t device_id;
    uint8_t registers[MODEL_REGISTER_COUNT];
    uint64_t now_us;
    uint64_t ready_at_us; // the end of start-up or reset, until which the chip NACKs
    uint64_t awake_at_us; // the end of the time after EN rises during which the chip ignores bytes
    uint64_t brown_out_at_us; // MODEL_NEVER if no brown-out is due
    bool powered;
    bool enabled;

    enum drv2605_model_process process;
    uint64_t process_step_at_us; // the time of the next step of the process
    int16_t process_drive;
    uint8_t playing[MODEL_SLOT_COUNT]; // the contents of the slots when GO was written
    uint8_t playing_slot;

    bool drives_open_lra; // the chip has driven an LRA in open loop since `half_cycle_at_us`, with
                          // `period`
    uint8_t period;       // in units of 98.46 us
    uint64_t half_cycle_at_us;  // a time at which a half-cycle began
    uint64_t next_period_at_us; // when OL_LRA_PERIOD takes effect; MODEL_NEVER if not determined

    bool selected;     // addressed since the last START
    bool reading;      // addressed for reading
    bool pointer_next; // the next byte written is the register address
    uint8_t pointer;
    uint64_t transfer_at_us; // time of the last byte of the transfer
    uint32_t nack_bytes;
    uint8_t flipped_bits; // the bits to invert in the next byte for a register
    bool bus_held;
    uint8_t release_clocks;

    bool diagnostic_failed;
    bool hot;
    bool over_temperature; // the latch of OVER_TEMP
    bool shorted;
    bool overcurrent; // OC_DETECT
    bool
        output_locked; // the outputs were shorted before the drive began, so MODE must be rewritten
};

// Initializes a chip with `device_id` 3 or 7 that receives power at `now_us`. EN is low, because
// the pin has a pull-down (SLOS854D p4). With any other id, the chip behaves like id 7 but reports
// the given id, so a driver must reject it.
void drv2605_model_init(struct drv2605_model *model, uint8_t device_id, uint64_t now_us);

// Switches VDD off or on. When VDD is switched on, every register is set to the reset value of the
// id, and the chip NACKs for 250 us (SLOS854D 9.3.1, p59). Without power, the chip NACKs and does
// not drive.
void drv2605_model_power(struct drv2605_model *model, uint64_t now_us, bool on);

// Sets the EN pin. A low pin shuts the chip down: the output is at rest, GO is cleared (invented),
// the registers keep their values, and the chip ACKs but ignores writes and returns 0 for reads
// (SLOS854D 8.4.1.3, p21). After EN rises, the registers take effect: in MODE 5, the chip drives
// the value in RTP_INPUT immediately. This behavior is uncertain: users report parts whose
// registers stay accessible while EN is low. A driver must not rely on either behavior.
void drv2605_model_enable(struct drv2605_model *model, uint64_t now_us, bool high);

// ---- The I2C slave, byte by byte (SLOS854D p26-27) ----

// Handles START or repeated START with the address byte, whose bit 0 is 1 for a read. Returns ACK:
// true if the address is 0x5A and the chip is powered, ready and not set to NACK by a fault.
bool drv2605_model_start(struct drv2605_model *model, uint64_t now_us, uint8_t address_byte);

// Handles a byte of a write: first the register address, then the data for that register and the
// following registers. Returns ACK. A byte without an ACK has no effect.
bool drv2605_model_write_byte(struct drv2605_model *model, uint64_t now_us, uint8_t byte);

// Returns a byte of a read, and increments the register address. Reading STATUS clears that
// register. Returns 0xFF (the bus at rest) if the chip is not addressed for reading.
uint8_t drv2605_model_read_byte(struct drv2605_model *model, uint64_t now_us);

// Handles STOP, which ends the transfer. The register address does not change.
void drv2605_model_stop(struct drv2605_model *model, uint64_t now_us);

// ---- Probes, which do not change the chip ----

// Returns the current output, -255...255. The magnitude 255 is full scale, which is RATED_VOLTAGE
// in closed loop and OD_CLAMP in open loop (SLOS854D p30-32). The output is 0 in standby, shutdown,
// reset and HI_Z, and during over-temperature and over-current. In MODE 5, the output is RTP_INPUT,
// interpreted by its format. In MODE 0, the output is the nominal level of the ROM effect in
// progress. In MODE 6 and 7 while GO is 1, the output is 255 (invented: the maximum that an
// actuator could receive).
int16_t drv2605_model_drive(const struct drv2605_model *model, uint64_t now_us);

// True if the drive is not 0.
bool drv2605_model_is_driving(const struct drv2605_model *model, uint64_t now_us);

// Returns the earliest time after `now_us` at which the drive, GO or the readiness of the chip may
// change without a call; MODEL_NEVER if no change is due. A board integrates an actuator in
// intervals that end at these times.
uint64_t drv2605_model_next_change_us(const struct drv2605_model *model, uint64_t now_us);

// drv2605_model_is_lra returns true if an LRA is configured (N_ERM_LRA);
// drv2605_model_is_closed_loop returns true if closed loop is configured (SLOS854D p46-51).
bool drv2605_model_is_lra(const struct drv2605_model *model, uint64_t now_us);
bool drv2605_model_is_closed_loop(const struct drv2605_model *model, uint64_t now_us);

// Returns true if an LRA is connected, and false if an ERM is connected.
bool drv2605_model_has_lra(const struct drv2605_model *model, uint64_t now_us);

// Returns the frequency, in mHz, at which the chip drives an LRA in open loop, or at which it would
// begin to drive the LRA (SLOS854D p35); 0 if the drive follows the resonance or has no frequency.
uint32_t drv2605_model_carrier_millihertz(const struct drv2605_model *model, uint64_t now_us);

// True if the chip is powered and has completed start-up and reset, so it ACKs.
bool drv2605_model_is_ready(const struct drv2605_model *model, uint64_t now_us);

// Returns the STANDBY bit, which is set after power-up and DEV_RESET.
bool drv2605_model_in_standby(const struct drv2605_model *model, uint64_t now_us);

// Returns the GO bit, which is 1 while a waveform, diagnostics or a calibration is in progress. The
// GO bit is always 0 in MODE 5.
bool drv2605_model_is_going(const struct drv2605_model *model, uint64_t now_us);

// Returns the value that a read of the register would return on an enabled chip, without clearing
// STATUS or counting the access; 0 for a register that the chip does not have.
uint8_t drv2605_model_register(const struct drv2605_model *model, uint64_t now_us, uint8_t address);

// ---- Faults ----

// Makes the chip too hot, or cools it again. OVER_TEMP stays set until it is read from a cool chip;
// the output is at rest while the chip is too hot (SLOS854D p19-23).
void drv2605_model_inject_over_temperature(struct drv2605_model *model, uint64_t now_us, bool hot);

// Shorts the outputs, or removes the short. OC_DETECT is set once the chip drives into the short,
// and stays set as long as the short lasts; the output is at rest during that time. If the short
// began during a drive, the drive resumes when the short ends (immediately: the retry period of
// about 1 s is not modeled). If the outputs were shorted before the drive began, MODE must be
// rewritten (SLOS854D p19-23). During a short, calibration and diagnostics fail.
void drv2605_model_inject_short(struct drv2605_model *model, uint64_t now_us, bool shorted);

// NACKs the next `bytes` bytes that the chip would have ACKed, including address bytes.
void drv2605_model_inject_nack(struct drv2605_model *model, uint32_t bytes);

// Inverts the given bits of the next byte that is written to a register. The chip acknowledges the
// damaged byte, because I2C has no checksum.
void drv2605_model_inject_damage(struct drv2605_model *model, uint8_t bits);

// Makes VDD dip at `at_us`, which may be later than `now_us`: the registers are reset, the chip
// NACKs for 250 us, and EN does not change.
void drv2605_model_inject_brown_out(struct drv2605_model *model, uint64_t now_us, uint64_t at_us);

// Makes the chip hold SDA low for `release_clocks` pulses of SCL, or until it loses power if
// `release_clocks` is 0. A board calls drv2605_model_is_bus_held before it uses the bus, and
// reports each recovery pulse of the master to the model. While SDA is held, a START does not reach
// the chip.
void drv2605_model_inject_bus_held(struct drv2605_model *model, uint8_t release_clocks);
bool drv2605_model_is_bus_held(const struct drv2605_model *model);
void drv2605_model_clock_bus(struct drv2605_model *model);

#endif
