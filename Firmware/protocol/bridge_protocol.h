/*
 * Haptic Bridge protocol, version 1: all constants that the host and the device share. SPEC.md in
 * this folder defines their meaning, and section numbers refer to it. The constants are literals
 * and enums, and two tables are functions, so that Swift can import each of them by name.
 */
#ifndef BRIDGE_PROTOCOL_H
#define BRIDGE_PROTOCOL_H

#include <stdint.h>

/* ---- Versions and line settings (SPEC 1) ---------------------------------------------- */

#define BRIDGE_VERSION_MIN 1
#define BRIDGE_VERSION_MAX 1
#define BRIDGE_BAUD 250000 /* 8N1; 16 MHz / 8 / 8, exact on the reference chip */

/* ---- Frames (SPEC 2) ------------------------------------------------------------------ */

#define BRIDGE_DELIMITER 0x00
#define BRIDGE_BODY_MAX 64    /* bytes: type, sequence, payload, CRC */
#define BRIDGE_BODY_MIN 6     /* bytes: type, sequence, CRC */
#define BRIDGE_PAYLOAD_MAX 58 /* bytes */
#define BRIDGE_FRAME_MAX 66   /* bytes on the wire: COBS overhead and delimiter included */
#define BRIDGE_HEADER_SIZE 2  /* bytes: type and sequence */
#define BRIDGE_CRC_SIZE 4     /* bytes */

/* CRC-32C (Castagnoli), reflected. The register starts at INIT xor the session id. */
#define BRIDGE_CRC_POLYNOMIAL 0x82F63B78u
#define BRIDGE_CRC_INIT 0xFFFFFFFFu
#define BRIDGE_CRC_XOROUT 0xFFFFFFFFu
#define BRIDGE_CRC_CHECK 0xE3069283u   /* CRC of "123456789" in session 0 */
#define BRIDGE_CRC_RESIDUE 0xB798B438u /* register after body and CRC, in any session */

/* ---- Messages (SPEC 4): the high nibble is the class ---------------------------------- */

#define BRIDGE_CLASS_MASK 0xF0
#define BRIDGE_CLASS_CONNECT 0x00   /* CRC seeded with session 0 */
#define BRIDGE_CLASS_URGENT 0x10    /* executed at reception, with any sequence number */
#define BRIDGE_CLASS_QUERY 0x20     /* unsequenced; the sequence byte is a tag for the answer */
#define BRIDGE_CLASS_SEQUENCED 0x40 /* executed in order, exactly once */
#define BRIDGE_FROM_DEVICE 0x80     /* set in every message from a device, except class CONNECT */

enum bridge_message {
    BRIDGE_HELLO = 0x01,
    BRIDGE_WELCOME = 0x02,
    BRIDGE_NO_SESSION = 0x03,

    BRIDGE_STOP = 0x10,
    BRIDGE_MUTE = 0x11,

    BRIDGE_CLOCK = 0x20,
    BRIDGE_GET_STATUS = 0x21,
    BRIDGE_GET_STREAM = 0x22,
    BRIDGE_GET_ACTUATOR = 0x23,
    BRIDGE_GET_CONFIGURATION = 0x24,
    BRIDGE_GET_FIRMWARE = 0x25,
    BRIDGE_PROBE = 0x26,
    BRIDGE_GET_SENSOR = 0x27,

    BRIDGE_OPEN = 0x40,
    BRIDGE_CLOSE = 0x41,
    BRIDGE_START = 0x42,
    BRIDGE_SCALE = 0x43,
    BRIDGE_EVENTS = 0x44,
    BRIDGE_REVISE = 0x45,
    BRIDGE_GAIN = 0x46,
    BRIDGE_CLEAR_FAULTS = 0x47,
    BRIDGE_CONFIGURE = 0x48,
    BRIDGE_CALIBRATE = 0x49,
    BRIDGE_DIAGNOSE = 0x4A,
    BRIDGE_SAVE = 0x4B,
    BRIDGE_ENTER_BOOTLOADER = 0x4C,
    BRIDGE_LOCK = 0x4D,
    BRIDGE_RECORD = 0x4E,

    BRIDGE_ACK = 0x80,
    BRIDGE_REJECT = 0x81,
    BRIDGE_SAMPLES = 0x82,
    BRIDGE_STOPPED = 0x90,
    BRIDGE_MUTED = 0x91,
    BRIDGE_CLOCK_REPLY = 0xA0,
    BRIDGE_STATUS = 0xA1,
    BRIDGE_STREAM = 0xA2,
    BRIDGE_ACTUATOR = 0xA3,
    BRIDGE_CONFIGURATION = 0xA4,
    BRIDGE_FIRMWARE = 0xA5,
    BRIDGE_PROBED = 0xA6,
    BRIDGE_SENSOR_STATE = 0xA7,
};

/* Payload sizes in bytes. A longer payload is legal; additional bytes are ignored (SPEC 4.1). */
#define BRIDGE_HELLO_SIZE 10
#define BRIDGE_WELCOME_SIZE 36
#define BRIDGE_WELCOME_SIZE_MIN 35 /* from an older device: missing bytes are 0 */
#define BRIDGE_NO_SESSION_SIZE 7
#define BRIDGE_STOP_SIZE 4
#define BRIDGE_MUTE_SIZE 4
#define BRIDGE_CLOCK_SIZE 0
#define BRIDGE_GET_STATUS_SIZE 0
#define BRIDGE_GET_STREAM_SIZE 1
#define BRIDGE_GET_ACTUATOR_SIZE 1
#define BRIDGE_GET_CONFIGURATION_SIZE 1
#define BRIDGE_GET_FIRMWARE_SIZE 2
#define BRIDGE_PROBE_SIZE 1
#define BRIDGE_GET_SENSOR_SIZE 0
#define BRIDGE_OPEN_SIZE 5
#define BRIDGE_CLOSE_SIZE 1
#define BRIDGE_START_SIZE 11
#define BRIDGE_SCALE_SIZE 9
#define BRIDGE_EVENTS_SIZE 2 /* and the event bytes */
#define BRIDGE_REVISE_SIZE 8 /* and the event bytes */
#define BRIDGE_GAIN_SIZE 3
#define BRIDGE_CLEAR_FAULTS_SIZE 3
#define BRIDGE_CONFIGURE_SIZE 57
#define BRIDGE_CONFIGURE_SIZE_MIN 49 /* from an older host: missing bytes are 0 */
#define BRIDGE_CALIBRATE_SIZE 1
#define BRIDGE_DIAGNOSE_SIZE 1
#define BRIDGE_SAVE_SIZE 1
#define BRIDGE_ENTER_BOOTLOADER_SIZE 0
#define BRIDGE_LOCK_SIZE 1
#define BRIDGE_RECORD_SIZE 4
#define BRIDGE_ACK_SIZE 5    /* and one credit for each open stream */
#define BRIDGE_CREDIT_SIZE 4 /* stream, generation, event_limit */
#define BRIDGE_REJECT_SIZE 7
#define BRIDGE_SAMPLES_SIZE 34
#define BRIDGE_STOPPED_SIZE 1
#define BRIDGE_MUTED_SIZE 1
#define BRIDGE_CLOCK_REPLY_SIZE 8
#define BRIDGE_STATUS_SIZE 33
#define BRIDGE_STREAM_SIZE 23
#define BRIDGE_ACTUATOR_SIZE 33
#define BRIDGE_CONFIGURATION_SIZE 57
#define BRIDGE_FIRMWARE_SIZE 2 /* and the bytes of the block */
#define BRIDGE_PROBED_SIZE 1
#define BRIDGE_SENSOR_STATE_SIZE 2

/* ---- Features (SPEC 4.2): bit field in WELCOME and HELLO ------------------------------- */

#define BRIDGE_FEATURE_REVISE 0x00000001u
#define BRIDGE_FEATURE_CALIBRATION 0x00000002u
#define BRIDGE_FEATURE_STORAGE 0x00000004u
#define BRIDGE_FEATURE_BOOTLOADER 0x00000008u
#define BRIDGE_FEATURE_BAND 0x00000010u
#define BRIDGE_FEATURE_SENSOR 0x00000020u

/* UNKNOWN: a boot loader has hidden the cause, which is either the reset pin, or the watchdog while
   interrupts were off. */
enum bridge_reset_cause {
    BRIDGE_RESET_UNKNOWN = 0,
    BRIDGE_RESET_POWER = 1,
    BRIDGE_RESET_EXTERNAL = 2,
    BRIDGE_RESET_WATCHDOG = 3,
    BRIDGE_RESET_BROWN_OUT = 4,
};

/** Boards for which a host has advice, wiring and images (SPEC 4.2). */
enum bridge_board_kind {
    BRIDGE_BOARD_UNKNOWN = 0,  /* the device does not report its board */
    BRIDGE_BOARD_VIRTUAL = 1,  /* a model in a computer's memory */
    BRIDGE_BOARD_UNO_NANO = 2, /* Arduino Uno or Nano, which use the same image */
    BRIDGE_BOARD_PICO = 3,
    BRIDGE_BOARD_PICO_2 = 4,
    BRIDGE_BOARD_XIAO_RP2040 = 5,
    BRIDGE_BOARD_XIAO_RP2350 = 6,
    BRIDGE_BOARD_QT_PY_RP2040 = 7,
    BRIDGE_BOARD_FEATHER_RP2040 = 8,
    BRIDGE_BOARD_ITSYBITSY_RP2040 = 9,
    BRIDGE_BOARD_KB2040 = 10,
    BRIDGE_BOARD_TRINKEY_QT2040 = 11,
    BRIDGE_BOARD_PRO_MICRO_RP2040 = 12,
    BRIDGE_BOARD_PRO_MICRO_RP2350 = 13,
    BRIDGE_BOARD_THING_PLUS_RP2040 = 14,
    BRIDGE_BOARD_RP2040_ZERO = 15,
    BRIDGE_BOARD_NANO_RP2040_CONNECT = 16,
    BRIDGE_BOARD_TINY_2040 = 17,
    BRIDGE_BOARD_TINY_2350 = 18,
    BRIDGE_BOARD_ARDUINO = 19, /* a board with the Arduino library: its sketch polls for due
                                  writes */
};

/* ---- Answers to sequenced messages (SPEC 4.4) ------------------------------------------ */

#define BRIDGE_ACK_FLAG_RESEND 0x01 /* a frame was damaged or lost: resend from next_sequence */

enum bridge_reject_code {
    BRIDGE_REJECT_NONE = 0,
    BRIDGE_REJECT_UNKNOWN_MESSAGE = 1,
    BRIDGE_REJECT_LENGTH = 2,
    BRIDGE_REJECT_RANGE = 3,
    BRIDGE_REJECT_NO_STREAM = 4,
    BRIDGE_REJECT_NO_ACTUATOR = 5,
    BRIDGE_REJECT_IN_USE = 6,
    BRIDGE_REJECT_MEMORY = 7,
    BRIDGE_REJECT_UNCONFIGURED = 8,
    BRIDGE_REJECT_NOT_AT_REST = 9,
    BRIDGE_REJECT_UNSUPPORTED = 10,
    BRIDGE_REJECT_PENDING = 11,
    BRIDGE_REJECT_CREDIT = 12,
    BRIDGE_REJECT_TIME = 13,
    BRIDGE_REJECT_FAULT = 14,
    BRIDGE_REJECT_LIMIT = 15,
    BRIDGE_REJECT_BUDGET = 16,
    BRIDGE_REJECT_MUTED = 17,
};

/* ---- Inspection (SPEC 4.5) -------------------------------------------------------------- */

#define BRIDGE_FIRMWARE_BLOCK 32      /* bytes of the image in a FIRMWARE */
#define BRIDGE_PROBE_ADDRESS_MIN 0x08 /* all other 7-bit addresses are reserved on the bus */
#define BRIDGE_PROBE_ADDRESS_MAX 0x77
#define BRIDGE_PROBED_ACKNOWLEDGED 0x80

/* ---- Time (SPEC 5) --------------------------------------------------------------------- */

#define BRIDGE_TICK_US 250               /* microseconds; hosts compile to this tick */
#define BRIDGE_SCALE_FRACTION_BITS 24    /* 8.24 fixed point, device microseconds per tick */
#define BRIDGE_TIME_SPAN_US 0x40000000u  /* start times are within 2^30 us of the current time */
#define BRIDGE_CLOCK_AT_BOOT 0xFC6C7900u /* 60 s before the 32-bit microsecond clock wraps */
#define BRIDGE_START_FLAG_RELATIVE 0x01  /* time counts from the START frame's last byte */
#define BRIDGE_DEAD_MAN_US 250000u       /* time without valid frames after which actuators stop */
#define BRIDGE_LATE_US 1000u             /* a write later than this is considered late */
#define BRIDGE_TAP_LATE_MAX_US 20000u    /* a tap later than this is skipped and counted */
#define BRIDGE_RAMP_STEP_US 5000u        /* maximum time between two steps of a ramp */
#define BRIDGE_DRY_MAX_US 60000000u      /* a stream that has been dry for this time is closed */

/* ---- Streams (SPEC 6) ------------------------------------------------------------------ */

#define BRIDGE_ACTUATORS_MAX 16
#define BRIDGE_STREAM_MEMORY_MIN 32 /* bytes of event memory; the longest event has 20 bytes */

enum bridge_stream_state {
    BRIDGE_STREAM_CLOSED = 0,
    BRIDGE_STREAM_OPEN = 1,
    BRIDGE_STREAM_PLAYING = 2,
    BRIDGE_STREAM_DRY = 3,
    BRIDGE_STREAM_ENDED = 4,
};

/* ---- Event code (SPEC 7): first byte = operation << 4 | delta --------------------------- */

#define BRIDGE_VALUE_SLOTS 8  /* operations 0 to 7 repeat the event in this slot */
#define BRIDGE_DELTA_SLOTS 12 /* deltas 4 to 15 repeat the delta in this slot */
#define BRIDGE_HISTORY 32     /* number of past events that a copy can repeat; a power of two */
#define BRIDGE_COPY_MIN 3     /* minimum number of events in a copy */
#define BRIDGE_COPY_MAX 98
#define BRIDGE_TICKS_MAX 0x1FFFFF /* maximum delta or duration: three bytes of seven bits */

/* The values of the nibbles of a ROUND operation: 0 to 10 tenths of 255, then .25, .75, .05, .15
   and .95 of 255. */
#define BRIDGE_ROUND_VALUES 0, 26, 51, 77, 102, 128, 153, 179, 204, 230, 255, 64, 191, 13, 38, 242

/* The initial values of the delta slots, in ticks. */
#define BRIDGE_DELTAS_AT_FIRST 200, 120, 80, 160, 240, 1600, 600, 2000, 1000, 40, 400, 800

/* These functions return the values of the two tables by index, for languages that cannot use a
   list from a macro. */
static inline uint8_t bridge_round_value(uint8_t nibble) {
    static const uint8_t values[] = {BRIDGE_ROUND_VALUES};
    return values[nibble & 0x0F];
}

static inline uint16_t bridge_delta_at_first(uint8_t slot) {
    static const uint16_t deltas[] = {BRIDGE_DELTAS_AT_FIRST};
    return deltas[slot % BRIDGE_DELTA_SLOTS];
}

enum bridge_operation {
    BRIDGE_OP_LEVEL_SHARPNESS_ROUND = 8,
    BRIDGE_OP_TAP = 9,
    BRIDGE_OP_TAP_ROUND = 10,
    BRIDGE_OP_LEVEL = 11,
    BRIDGE_OP_LEVEL_SHARPNESS = 12,
    BRIDGE_OP_LEVEL_RAMP = 13,
    BRIDGE_OP_SHARPNESS_RAMP = 14,
    BRIDGE_OP_SPECIAL = 15,
};

enum bridge_special {
    BRIDGE_SPECIAL_END = 0,
    BRIDGE_SPECIAL_TAP_GAIN = 2,
    BRIDGE_SPECIAL_WAIT = 3,
};

enum bridge_delta {
    BRIDGE_DELTA_ZERO = 0,
    BRIDGE_DELTA_LITERAL = 1,
    BRIDGE_DELTA_LEVEL_END = 2,
    BRIDGE_DELTA_SHARPNESS_END = 3,
    BRIDGE_DELTA_SLOT = 4,
};

/* First bytes of operation SPECIAL that have their own meaning. */
enum bridge_special_head {
    BRIDGE_HEAD_END_AT_LEVEL_END = 0xF2,
    BRIDGE_HEAD_END_LITERAL = 0xF3,
    BRIDGE_HEAD_COPY = 0xF4, /* to 0xFF */
};

/* ---- Actuators (SPEC 8) ---------------------------------------------------------------- */

enum bridge_actuator_kind {
    BRIDGE_KIND_NONE = 0,
    BRIDGE_KIND_LRA = 1,
    BRIDGE_KIND_ERM = 2,
    BRIDGE_KIND_WIDE_BAND = 3, /* an LRA or a voice coil whose frequency follows the sharpness */
};

enum bridge_actuator_state {
    BRIDGE_ACTUATOR_STARTING = 0,
    BRIDGE_ACTUATOR_UNCONFIGURED = 1,
    BRIDGE_ACTUATOR_AT_REST = 2,
    BRIDGE_ACTUATOR_AWAKE = 3,
    BRIDGE_ACTUATOR_COMING_TO_REST = 4,
    BRIDGE_ACTUATOR_CALIBRATING = 5,
    BRIDGE_ACTUATOR_FAULT = 6,
};

enum bridge_calibration {
    BRIDGE_CALIBRATION_NONE = 0,
    BRIDGE_CALIBRATION_PASSED = 1,
    BRIDGE_CALIBRATION_FAILED = 2,
    BRIDGE_CALIBRATION_TIMED_OUT = 3,
    BRIDGE_CALIBRATION_BUS_ERROR = 4,
    BRIDGE_CALIBRATION_NOT_DISABLED = 5, /* only after a diagnosis: the diagnosis has passed, but
                                            the chip answers while its EN pin is low */
};

enum bridge_locality {
    BRIDGE_LOCALITY_DEFAULT = 0,
    BRIDGE_LOCALITY_LEFT_HANDLE = 1,
    BRIDGE_LOCALITY_RIGHT_HANDLE = 2,
    BRIDGE_LOCALITY_LEFT_TRIGGER = 3,
    BRIDGE_LOCALITY_RIGHT_TRIGGER = 4,
};

#define BRIDGE_IMAGE_SIZE 12      /* registers 0x03 and 0x16 to 0x20, in this order */
#define BRIDGE_NAME_SIZE 12       /* UTF-8, padded with zeros */
#define BRIDGE_SAVE_MAX_US 300000 /* per actuator, from SAVE's ACK until the record is safe */
#define BRIDGE_HEAT_STEP_US 1024u /* the time step of an actuator's heat */
#define BRIDGE_RATED_MV_MAX 5300
#define BRIDGE_OVERDRIVE_MV_MAX 5600

/* ---- Bands (SPEC 8.9) ------------------------------------------------------------------ */

#define BRIDGE_FREQUENCY_MIN 800      /* 0.1 Hz; the period is 127 steps, the longest of the chip */
#define BRIDGE_FREQUENCY_MAX 4060     /* 0.1 Hz; the period is 25 steps */
#define BRIDGE_PERIOD_STEP_NS 98460   /* the unit of a period */
#define BRIDGE_FREQUENCY_LEAD_US 400u /* a frequency is written this long before its level */

/* The relation between sharpness and frequency. Only hosts use it. */
enum bridge_law {
    BRIDGE_LAW_LOGARITHMIC = 0, /* equal steps of sharpness are equal ratios of frequency */
    BRIDGE_LAW_LINEAR = 1,      /* equal steps of sharpness are equal differences of frequency */
    BRIDGE_LAW_ABSOLUTE = 2,    /* sharpness 0 is 65 Hz, and 1 is 300 Hz, limited to the band */
};

/* ---- The sensor (SPEC 11) --------------------------------------------------------------- */

enum bridge_sensor_kind {
    BRIDGE_SENSOR_NONE = 0,
    BRIDGE_SENSOR_LIS3DH = 1,
    BRIDGE_SENSOR_LIS2DW12 = 2,
    BRIDGE_SENSOR_LSM6DSO = 3, /* LSM6DSO or LSM6DSOX */
};

enum bridge_recording {
    BRIDGE_RECORDING_NONE = 0,     /* no recording since the device booted */
    BRIDGE_RECORDING_ARMED = 1,    /* waits for a stream to start */
    BRIDGE_RECORDING_RUNNING = 2,  /* takes samples */
    BRIDGE_RECORDING_COMPLETE = 3, /* has taken all samples */
    BRIDGE_RECORDING_ENDED = 4,    /* ended by the host, or by a new session */
    BRIDGE_RECORDING_LOST = 5,     /* ended because the sensor did not answer */
};

enum bridge_trigger { BRIDGE_TRIGGER_NOW = 0, BRIDGE_TRIGGER_STREAM = 1 }; /* 1: a stream plays */

#define BRIDGE_AXIS_Z 2       /* x, y and z are 0, 1 and 2 */
#define BRIDGE_SAMPLES_MAX 12 /* samples in a message */
#define BRIDGE_SAMPLE_SIZE 2  /* bytes of a sample of one axis */

/* ---- Faults (SPEC 9): latched until they are cleared ----------------------------------- */

#define BRIDGE_FAULT_UNDERRUN 0x0001
#define BRIDGE_FAULT_LATE 0x0002
#define BRIDGE_FAULT_TAP_SKIPPED 0x0004
#define BRIDGE_FAULT_DEAD_MAN 0x0008
#define BRIDGE_FAULT_BUS 0x0010
#define BRIDGE_FAULT_NO_CHIP 0x0020
#define BRIDGE_FAULT_WRONG_CHIP 0x0040
#define BRIDGE_FAULT_READ_BACK 0x0080
#define BRIDGE_FAULT_CHIP_RESET 0x0100
#define BRIDGE_FAULT_OVER_TEMPERATURE 0x0200
#define BRIDGE_FAULT_OVER_CURRENT 0x0400
#define BRIDGE_FAULT_REST 0x0800
#define BRIDGE_FAULT_EVENT 0x1000
#define BRIDGE_FAULT_BUDGET 0x2000
#define BRIDGE_FAULT_STORAGE 0x4000
#define BRIDGE_FAULT_SWAPPED_WIRES 0x8000

#endif
