// A model of a DRV2605 or DRV2605L: its behavior on the I2C bus, and its output stage.
//
// Source: TI datasheets SLOS854D (DRV2605L, March 2018) and SLOS825E (DRV2605, April 2018), cited
// by page. Behavior that they do not define is marked "invented" in a comment, and an access that
// depends on it is counted.
//
// The model does no I/O and reads no clock: every call has the argument `now_us`, the microseconds
// of a clock that never wraps. A call with an earlier `now_us` than that of the last call is
// executed at the time of the last call. Each call first executes the chip's own events up to
// `now_us` (the end of a waveform, of a calibration or of a reset), each at its exact time.
//
// The model does not include the 0.7 ms from GO to the output (SLOS854D p7), PWM, analog and audio
// input, the trigger pin, the noise gate, and the voltage scale: a drive is a fraction of full
// scale.
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

// The outcome of calibrations (MODE 7) that are started from now on.
enum drv2605_model_calibration {
    MODEL_CALIBRATION_PASSES,         // DIAG_RESULT 0, results in 0x18, 0x19 and 0x1A[1:0]
    MODEL_CALIBRATION_FAILS,          // DIAG_RESULT 1, the registers do not change (invented)
    MODEL_CALIBRATION_NEVER_FINISHES, // GO stays 1 until it is canceled
};

// The outcome of diagnostics (MODE 6) that are started from now on.
enum drv2605_model_diagnostics {
    MODEL_DIAGNOSTICS_OK,      // DIAG_RESULT 0
    MODEL_DIAGNOSTICS_OPEN,    // DIAG_RESULT 1
    MODEL_DIAGNOSTICS_SHORTED, // DIAG_RESULT 1
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

    // The time for which the chip NACKs after DEV_RESET, in us. Default 5,000: the datasheet gives
    // no number; a maintainer of a public driver measured less than 25 ms.
    uint32_t reset_time_us;
    // The time after EN rises for which the chip acknowledges bytes and ignores them, in us.
    // Default 0: the datasheet gives no number; public drivers wait 250 us.
    uint32_t wake_time_us;
    // True if reserved bits are read as 1 instead of 0 in the settings registers.
    bool reserved_bits_read_one;
    // VDD in mV, 2,000...5,200, which VBAT reports (SLOS854D p35). Default 5,000.
    uint32_t supply_mv;
    // Resonance of the LRA in mHz, which LRA_PERIOD reports (SLOS854D p35). Default 170,000.
    uint32_t resonance_millihertz;
    // Outcome of MODE 7. Default MODEL_CALIBRATION_PASSES.
    enum drv2605_model_calibration calibration;
    // Results of a calibration that passes: A_CAL_COMP, A_CAL_BEMF, BEMF_GAIN 0...3. Default 0x09,
    // 0x79, 1: published for a 205 Hz LRA.
    uint8_t calibrated_compensation;
    uint8_t calibrated_back_emf;
    uint8_t calibrated_gain;
    // Outcome of MODE 6. Default MODEL_DIAGNOSTICS_OK.
    enum drv2605_model_diagnostics diagnostics;

    // ---- Findings: they may be read at any time; only drv2605_model_init clears them. ----

    // The number of accesses that the datasheet does not define:
    // - SEQ1-8, LIBRARY_SEL or 0x16-0x20 written, or GO or MODE written with 1s, while GO is 1
    //   (GO = 0, STANDBY, DEV_RESET, HI_Z and RTP_INPUT are defined to act at once);
    // - GO = 1 in standby or in a mode that does not use it;
    // - a register the chip does not have, read or written; a read-only register or a reserved bit
    //   written;
    // - real-time playback in a format outside the table of SLOS854D p30-32; a sequence with a
    //   ROM effect above 123.
    uint32_t undefined_accesses;
    // The register of the last such access.
    uint8_t last_undefined_register;
    // The number of times that the chip entered real-time playback with a drive already in
    // RTP_INPUT: by MODE, by leaving standby, or by EN. A careful driver first writes 0 to
    // RTP_INPUT.
    uint32_t stale_rtp_starts;
    // The number of times that a mode without a modeled drive was entered (1, 2, 3, 4), that GO was
    // written in such a mode, or that an LRA was set to open loop on a DRV2605, which supports that
    // only with a PWM clock.
    uint32_t unmodelled_modes;
    // The number of transfers that were left open without a byte for more than 4.33 ms (SLOS854D
    // p19). Outside standby the chip discards such a transfer; in standby the transfer stays open.
    uint32_t stalled_transfers;
    // Latched by a write with OTP_PROGRAM (0x1E bit 0) set, at any supply voltage. On a real chip
    // this is permanent: every test harness asserts that it is false.
    bool otp_programmed;

    // ---- State, private to the model. ----

    uint8_t device_id;
    uint8_t registers[MODEL_REGISTER_COUNT];
    uint64_t now_us;
    uint64_t ready_at_us;     // end of start-up or reset; until then the chip NACKs
    uint64_t awake_at_us;     // end of the time after EN has risen in which bytes are ignored
    uint64_t brown_out_at_us; // MODEL_NEVER if none is due
    bool powered;
    bool enabled;

    enum drv2605_model_process process;
    uint64_t process_step_at_us; // the time at which the process continues by itself
    int16_t process_drive;
    uint8_t playing[MODEL_SLOT_COUNT]; // the slots at the time of GO
    uint8_t playing_slot;

    bool selected;     // addressed since the last START
    bool reading;      // addressed for reading
    bool pointer_next; // the next byte written is the register address
    uint8_t pointer;
    uint64_t transfer_at_us; // time of the last byte of the transfer
    uint32_t nack_bytes;
    uint8_t flipped_bits; // in the next byte for a register
    bool bus_held;
    uint8_t release_clocks;

    bool diagnostic_failed;
    bool hot;
    bool over_temperature; // the latch of OVER_TEMP
    bool shorted;
    bool overcurrent;   // OC_DETECT
    bool output_locked; // the short existed before the drive, so that MODE must be rewritten
};

// Initializes a chip with `device_id` 3 or 7, powered since `now_us`, EN low (its pin has a
// pull-down, SLOS854D p4). With any other id the chip behaves as 7 and reports that id: a chip that
// a driver must reject.
void drv2605_model_init(struct drv2605_model *model, uint8_t device_id, uint64_t now_us);

// Switches VDD off or on. Switching it on resets every register (reset table of the id), and the
// chip NACKs for 250 us (SLOS854D 9.3.1, p59). Without power the chip NACKs and drives nothing.
void drv2605_model_power(struct drv2605_model *model, uint64_t now_us, bool on);

// Sets the EN pin. Low is shutdown: the output is at rest, GO is cleared (invented), registers are
// kept, and the chip ACKs but ignores writes and reads as 0 (SLOS854D 8.4.1.3, p21). After EN rises
// the registers take effect: with MODE 5 and a value in RTP_INPUT the chip drives at once.
// Uncertain: users report parts whose registers stay accessible while EN is low; a driver must not
// rely on either behavior.
void drv2605_model_enable(struct drv2605_model *model, uint64_t now_us, bool high);

// ---- The I2C slave, byte by byte (SLOS854D p26-27) ----

// START or repeated START with the address byte, whose bit 0 is 1 for a read. Returns ACK: true if
// the address is 0x5A and the chip is powered, ready and not set to NACK by a fault.
bool drv2605_model_start(struct drv2605_model *model, uint64_t now_us, uint8_t address_byte);

// A byte of a write: first the register address, then data for that register and the following
// ones. Returns ACK. A byte without ACK changes nothing.
bool drv2605_model_write_byte(struct drv2605_model *model, uint64_t now_us, uint8_t byte);

// A byte of a read; the register address is incremented. A read of STATUS clears it. Returns 0xFF
// (the bus at rest) if the chip is not addressed for reading.
uint8_t drv2605_model_read_byte(struct drv2605_model *model, uint64_t now_us);

// STOP. Ends the transfer; the register address is kept.
void drv2605_model_stop(struct drv2605_model *model, uint64_t now_us);

// ---- Probes, which do not change the chip ----

// Returns the current output, -255...255 of full scale, which is RATED_VOLTAGE in closed and
// OD_CLAMP in open loop (SLOS854D p30-32). 0 in standby, shutdown, reset, HI_Z, over-temperature,
// over-current. MODE 5: RTP_INPUT by its format. MODE 0: the nominal level of the ROM effect in
// progress. MODE 6 and 7 while GO is 1: 255 (invented: the maximum that an actuator could receive).
int16_t drv2605_model_drive(const struct drv2605_model *model, uint64_t now_us);

// True if the drive is not 0.
bool drv2605_model_is_driving(const struct drv2605_model *model, uint64_t now_us);

// Returns the earliest time after `now_us` at which the drive, GO or readiness may change without a
// call; MODEL_NEVER if there is none. A board integrates an actuator in intervals that end at these
// times.
uint64_t drv2605_model_next_change_us(const struct drv2605_model *model, uint64_t now_us);

// True if an LRA (N_ERM_LRA), or closed loop in the second function, is configured (SLOS854D
// p46-51).
bool drv2605_model_is_lra(const struct drv2605_model *model, uint64_t now_us);
bool drv2605_model_is_closed_loop(const struct drv2605_model *model, uint64_t now_us);

// Returns the frequency of an open-loop LRA drive in mHz, from OL_LRA_PERIOD (SLOS854D p35), or 0
// if the drive follows resonance or has no frequency.
uint32_t drv2605_model_carrier_millihertz(const struct drv2605_model *model, uint64_t now_us);

// True if the chip is powered and has completed start-up and reset, so that it ACKs.
bool drv2605_model_is_ready(const struct drv2605_model *model, uint64_t now_us);

// Returns the STANDBY bit, which is set after power-up and DEV_RESET.
bool drv2605_model_in_standby(const struct drv2605_model *model, uint64_t now_us);

// Returns the GO bit: a waveform, diagnostics or calibration is in progress. Always false in MODE
// 5.
bool drv2605_model_is_going(const struct drv2605_model *model, uint64_t now_us);

// Returns the value that a read of the register would return on an enabled chip, without clearing
// STATUS or counting the access; 0 for a register that the chip does not have.
uint8_t drv2605_model_register(const struct drv2605_model *model, uint64_t now_us, uint8_t address);

// ---- Faults ----

// Sets the temperature to too hot or cool. OVER_TEMP is latched until it is read from a cool chip;
// the output is at rest while the chip is hot (SLOS854D p19-23).
void drv2605_model_inject_over_temperature(struct drv2605_model *model, uint64_t now_us, bool hot);

// Shorts the outputs, or removes the short. OC_DETECT is set once the chip drives into the short,
// and stays set as long as the short lasts; the output rests during that time. After a short that
// began during a drive, the drive returns (at once: the retry period of about 1 s is not modeled).
// After a short that existed before the drive, MODE must be rewritten (SLOS854D p19-23). During a
// short, calibration and diagnostics fail.
void drv2605_model_inject_short(struct drv2605_model *model, uint64_t now_us, bool shorted);

// NACKs the next `bytes` bytes that the chip would have ACKed, including address bytes.
void drv2605_model_inject_nack(struct drv2605_model *model, uint32_t bytes);

// Inverts these bits of the next byte for a register. The chip acknowledges the byte, because I2C
// has no checksum.
void drv2605_model_inject_damage(struct drv2605_model *model, uint8_t bits);

// Causes a dip of VDD at `at_us` (now, or later): registers are reset, the chip NACKs for 250 us,
// and EN does not change.
void drv2605_model_inject_brown_out(struct drv2605_model *model, uint64_t now_us, uint64_t at_us);

// Makes the chip hold SDA low for `release_clocks` pulses of SCL; 0: until power is lost. A board
// calls drv2605_model_is_bus_held before it uses the bus, and reports each recovery pulse of the
// master. While SDA is held no START reaches the chip.
void drv2605_model_inject_bus_held(struct drv2605_model *model, uint8_t release_clocks);
bool drv2605_model_is_bus_held(const struct drv2605_model *model);
void drv2605_model_clock_bus(struct drv2605_model *model);

#endif
