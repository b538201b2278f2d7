/* haptic_bridge: plays Core Haptics patterns (AHAP) on a board that `bridge serve` serves.
 *
 *     static struct haptic_engine engine;
 *     if (haptic_engine_start(&engine, NULL) != 0) return fail(engine.error.reason);
 *     uint32_t player = haptic_engine_make_player_of_file(&engine, "pattern.ahap", NULL);
 *     haptic_player_start(&engine, player, 0, 0);
 *     haptic_engine_wait(&engine, player, 10000);
 *     haptic_engine_stop(&engine);
 *
 * Only one thread may call the functions. The functions use no heap. While players play, the
 * program must call haptic_engine_poll or haptic_engine_wait at least every 0.2 s, because the
 * server stops the players of a program that is silent for 0.25 s. Times are in seconds on the
 * clock of haptic_current_time; a time of 0 means now. A function that returns int returns 0 if it
 * succeeds. Otherwise, it returns a negative error code of Core Haptics, and describes the error in
 * `engine->error`.
 */
#ifndef HAPTIC_BRIDGE_H
#define HAPTIC_BRIDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The codes of Core Haptics that these functions use. The server may send other codes. */
enum haptic_code {
    HAPTIC_ENGINE_NOT_RUNNING = -4805,
    HAPTIC_ENGINE_START_TIMEOUT = -4808,
    HAPTIC_NOT_SUPPORTED = -4809,
    HAPTIC_SERVER_INIT_FAILED = -4810,
    HAPTIC_SERVER_INTERRUPTED = -4811,
    HAPTIC_INVALID_PATTERN_PLAYER = -4812,
    HAPTIC_INVALID_PATTERN_DATA = -4813,
    HAPTIC_INVALID_PATTERN_DICTIONARY = -4814,
    HAPTIC_INVALID_PARAMETER_TYPE = -4820,
    HAPTIC_INVALID_EVENT_TYPE = -4821,
    HAPTIC_BAD_EVENT_ENTRY = -4830,
    HAPTIC_BAD_PARAMETER_ENTRY = -4831,
    HAPTIC_INVALID_TIME = -4840,
    HAPTIC_FILE_NOT_FOUND = -4851
};

/** The description of an error. */
struct haptic_error {
    int code;
    /** The faults of the board that caused the error (SPEC.md 9); 0 for other errors. */
    unsigned faults;
    /** The port of the board; empty if the error does not name a port. */
    char port[128];
    char reason[512];
    /** The remedies, one per line; empty if the description of the error contains them. */
    char advice[1024];
};

/** The types of events. */
enum haptic_event_type {
    HAPTIC_NO_EVENT,
    /** The board has answered. */
    HAPTIC_CONNECTED,
    /** The engine has started. */
    HAPTIC_STARTED,
    /** The player with the number `player` has ended. */
    HAPTIC_FINISHED,
    /** The board was reset, and all players were removed. haptic_engine_restart continues. */
    HAPTIC_RESET,
    /** The board has latched `faults`, and continues to play; `advice` contains the remedies. */
    HAPTIC_FAULTS,
    /** The engine has statistics: `text` is a JSON object. */
    HAPTIC_MEASURED,
    /** The engine has stopped. `engine->error` contains the reason; its code is 0 if the stop was
        requested. */
    HAPTIC_STOPPED,
    /** The answer to haptic_engine_request_output for the player with the number `player`, or for
        all players if `player` is 0: the `intensity` and `sharpness`, 0 to 1. `is_playing` is false
        if the player does not play. */
    HAPTIC_OUTPUT
};

/** An event of an engine. The texts are valid until the next call with the engine. */
struct haptic_event {
    enum haptic_event_type type;
    uint32_t player;
    unsigned faults;
    const char *text;
    size_t text_length;
    double intensity, sharpness;
    bool is_playing;
};

/** The maximum length of a message, in bytes. */
#define HAPTIC_MESSAGE_MAX 65536

/** An engine. All members other than `error` are private to the functions. */
struct haptic_engine {
    struct haptic_error error;
    int socket;
    bool is_started, is_reset, is_over, is_answered, is_remote;
    uint32_t last_player, first_player;
    double sent, asked, received;
    /** The samples of the clock of a remote server: time, offset and error, in seconds. */
    double clock[64][3];
    unsigned clock_count;
    uint8_t keys[2][32];
    uint64_t counts[2];
    /** The players of a `finished` message that have not been returned as events yet. */
    const char *finished, *finished_end;
    size_t in_used, in_taken, out_used;
    uint8_t in[HAPTIC_MESSAGE_MAX + 4 + 32];
    uint8_t out[HAPTIC_MESSAGE_MAX + 4 + 32];
};

/** The options of an engine. A member that is NULL has its default value. */
struct haptic_options {
    /** The port of the board, or tcp://HOST:PORT; by default the port in the environment variable
        BRIDGE_PORT, or else the port of the only board that is served. */
    const char *port;
    /** A locality of Core Haptics, such as leftHandle; by default `default`. */
    const char *locality;
    /** The key file for tcp://HOST:PORT; by default the file that the environment variable
        BRIDGE_KEY_FILE names. */
    const char *key_file;
    /** The name of the program that users see. */
    const char *program;
};

/** The options of a player. A rate of 0 means the normal rate. */
struct haptic_player_options {
    bool loop_enabled, is_muted;
    /** True if events without an end are ended after 30 s. */
    bool is_limited;
    double loop_end, playback_rate;
};

/** Returns the current time in seconds. */
double haptic_current_time(void);

/** Returns the size of an engine in bytes, for programs in other languages. */
size_t haptic_engine_size(void);

/** Returns the description of the last error of an engine. */
const struct haptic_error *haptic_engine_error(const struct haptic_engine *engine);

/** Connects to the server of a board, starts this server if it is not running, and starts the
    engine. Options may be NULL. */
int haptic_engine_start(struct haptic_engine *engine, const struct haptic_options *options);

/** Continues after HAPTIC_RESET. */
int haptic_engine_restart(struct haptic_engine *engine);

/** Waits for an event, for at most `timeout_ms`. If no event occurred, the type of the result is
    HAPTIC_NO_EVENT. */
int haptic_engine_poll(struct haptic_engine *engine, int timeout_ms, struct haptic_event *event);

/** Waits until a player has ended, and discards other events. An earlier poll must not have
    returned the end of this player. Returns HAPTIC_ENGINE_START_TIMEOUT after the timeout. */
int haptic_engine_wait(struct haptic_engine *engine, uint32_t player, int timeout_ms);

/** Brings all players to rest, and closes the connection. */
void haptic_engine_stop(struct haptic_engine *engine);

/** Mutes all players of the engine, or unmutes them. */
int haptic_engine_set_muted(struct haptic_engine *engine, bool is_muted);

/** Requests the output of a player at a time, or the combined output of all players if `player` is
    0, so that an image can move with it. HAPTIC_OUTPUT follows. The time may be up to 0.2 s in the
    past and up to 1 s in the future; for earlier times, the output is silent. */
int haptic_engine_request_output(struct haptic_engine *engine, uint32_t player, double time);

/** Returns a named pattern, such as `success`, as AHAP; NULL if no pattern has this name. */
const char *haptic_named_pattern(const char *name);

/** Makes a player for a pattern in AHAP. Returns its number; 0 if there is an error. */
uint32_t haptic_engine_make_player(struct haptic_engine *engine, const char *ahap, size_t length,
                                   const struct haptic_player_options *options);

/** Makes a player for an AHAP file. Returns its number; 0 if there is an error. */
uint32_t haptic_engine_make_player_of_file(struct haptic_engine *engine, const char *path,
                                           const struct haptic_player_options *options);

/** Plays the pattern, beginning at an offset in seconds. */
int haptic_player_start(struct haptic_engine *engine, uint32_t player, double time, double offset);
/** Stops a player, and cancels earlier requests for later times. */
int haptic_player_stop(struct haptic_engine *engine, uint32_t player, double time);
/** Stops a player now, and discards parameters that have not yet taken effect. */
int haptic_player_cancel(struct haptic_engine *engine, uint32_t player);
/** Pauses a player. */
int haptic_player_pause(struct haptic_engine *engine, uint32_t player, double time);
/** Resumes a player where it was paused. */
int haptic_player_resume(struct haptic_engine *engine, uint32_t player, double time);
/** Continues at an offset into the pattern, in seconds. */
int haptic_player_seek(struct haptic_engine *engine, uint32_t player, double offset);
/** Changes a dynamic parameter, such as HapticIntensityControl. */
int haptic_player_send_parameter(struct haptic_engine *engine, uint32_t player, const char *id,
                                 double value, double time);
/** Changes a dynamic parameter along a curve. Each point has a time, counted from the start of the
 * curve, and a value. */
int haptic_player_schedule_curve(struct haptic_engine *engine, uint32_t player, const char *id,
                                 const double (*points)[2], size_t count, double time);
/** Changes the playback rate, from 1/64 to 64. */
int haptic_player_set_rate(struct haptic_engine *engine, uint32_t player, double rate);
/** Repeats the pattern up to a time in seconds; 0 means the end of its last event. */
int haptic_player_set_loop(struct haptic_engine *engine, uint32_t player, bool is_enabled,
                           double end);
/** Mutes a player, or unmutes it. */
int haptic_player_set_muted(struct haptic_engine *engine, uint32_t player, bool is_muted);
/** Releases a player; the player still plays to the end of its pattern. */
int haptic_player_release(struct haptic_engine *engine, uint32_t player);

#ifdef __cplusplus
}
#endif

#endif
