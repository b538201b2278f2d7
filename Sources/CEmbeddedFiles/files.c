// The contents of the embedded files. Swift takes seconds to compile the content of one file as a
// literal; C compiles it almost immediately.

#include "CEmbeddedFiles.h"

#include <string.h>

// Clang also accepts #embed in C11, but warns that it is an extension from C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t profiles_reference_json[] = {
#embed "../HapticCompiler/Profiles/reference.json"
};
static const uint8_t profiles_lra_json[] = {
#embed "../HapticCompiler/Profiles/lra.json"
};
static const uint8_t profiles_erm_json[] = {
#embed "../HapticCompiler/Profiles/erm.json"
};
static const uint8_t profiles_wide_band_json[] = {
#embed "../HapticCompiler/Profiles/wide-band.json"
};
static const uint8_t actuators_json[] = {
#embed "../HapticBoards/actuators.json"
};
static const uint8_t feedback_success_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/success.ahap"
};
static const uint8_t feedback_warning_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/warning.ahap"
};
static const uint8_t feedback_error_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/error.ahap"
};
static const uint8_t feedback_impact_light_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/impact-light.ahap"
};
static const uint8_t feedback_impact_medium_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/impact-medium.ahap"
};
static const uint8_t feedback_impact_heavy_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/impact-heavy.ahap"
};
static const uint8_t feedback_impact_rigid_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/impact-rigid.ahap"
};
static const uint8_t feedback_impact_soft_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/impact-soft.ahap"
};
static const uint8_t feedback_selection_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/selection.ahap"
};
static const uint8_t feedback_alignment_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/alignment.ahap"
};
static const uint8_t feedback_level_change_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/level-change.ahap"
};
static const uint8_t feedback_generic_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/generic.ahap"
};
static const uint8_t feedback_watch_notification_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/watch-notification.ahap"
};
static const uint8_t feedback_watch_direction_up_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/watch-direction-up.ahap"
};
static const uint8_t feedback_watch_direction_down_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/watch-direction-down.ahap"
};
static const uint8_t feedback_watch_success_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/watch-success.ahap"
};
static const uint8_t feedback_watch_failure_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/watch-failure.ahap"
};
static const uint8_t feedback_watch_retry_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/watch-retry.ahap"
};
static const uint8_t feedback_watch_start_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/watch-start.ahap"
};
static const uint8_t feedback_watch_stop_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/watch-stop.ahap"
};
static const uint8_t feedback_watch_click_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/watch-click.ahap"
};
static const uint8_t feedback_crown_detent_ahap[] = {
#embed "../HapticBridge/Feedback/Patterns/crown-detent.ahap"
};
static const uint8_t samples_latch_ahap[] = {
#embed "../HapticBridge/Samples/Patterns/latch.ahap"
};
static const uint8_t samples_heartbeat_ahap[] = {
#embed "../HapticBridge/Samples/Patterns/heartbeat.ahap"
};
static const uint8_t samples_ball_ahap[] = {
#embed "../HapticBridge/Samples/Patterns/ball.ahap"
};
static const uint8_t samples_rain_ahap[] = {
#embed "../HapticBridge/Samples/Patterns/rain.ahap"
};
static const uint8_t samples_purr_ahap[] = {
#embed "../HapticBridge/Samples/Patterns/purr.ahap"
};
static const uint8_t samples_spring_ahap[] = {
#embed "../HapticBridge/Samples/Patterns/spring.ahap"
};
static const uint8_t samples_engine_ahap[] = {
#embed "../HapticBridge/Samples/Patterns/engine.ahap"
};
static const uint8_t samples_wave_ahap[] = {
#embed "../HapticBridge/Samples/Patterns/wave.ahap"
};
static const uint8_t maps_vrchat_json[] = {
#embed "../ProgramProtocols/OpenSoundControl/Maps/vrchat.json"
};
static const uint8_t maps_reahaptic_json[] = {
#embed "../ProgramProtocols/OpenSoundControl/Maps/reahaptic.json"
};

#define FILE_OF(name, bytes)                                                                       \
    { name, bytes, sizeof bytes }

static const embedded_file_t files[] = {
    FILE_OF("profiles/reference.json", profiles_reference_json),
    FILE_OF("profiles/lra.json", profiles_lra_json),
    FILE_OF("profiles/erm.json", profiles_erm_json),
    FILE_OF("profiles/wide-band.json", profiles_wide_band_json),
    FILE_OF("actuators.json", actuators_json),
    FILE_OF("feedback/success.ahap", feedback_success_ahap),
    FILE_OF("feedback/warning.ahap", feedback_warning_ahap),
    FILE_OF("feedback/error.ahap", feedback_error_ahap),
    FILE_OF("feedback/impact-light.ahap", feedback_impact_light_ahap),
    FILE_OF("feedback/impact-medium.ahap", feedback_impact_medium_ahap),
    FILE_OF("feedback/impact-heavy.ahap", feedback_impact_heavy_ahap),
    FILE_OF("feedback/impact-rigid.ahap", feedback_impact_rigid_ahap),
    FILE_OF("feedback/impact-soft.ahap", feedback_impact_soft_ahap),
    FILE_OF("feedback/selection.ahap", feedback_selection_ahap),
    FILE_OF("feedback/alignment.ahap", feedback_alignment_ahap),
    FILE_OF("feedback/level-change.ahap", feedback_level_change_ahap),
    FILE_OF("feedback/generic.ahap", feedback_generic_ahap),
    FILE_OF("feedback/watch-notification.ahap", feedback_watch_notification_ahap),
    FILE_OF("feedback/watch-direction-up.ahap", feedback_watch_direction_up_ahap),
    FILE_OF("feedback/watch-direction-down.ahap", feedback_watch_direction_down_ahap),
    FILE_OF("feedback/watch-success.ahap", feedback_watch_success_ahap),
    FILE_OF("feedback/watch-failure.ahap", feedback_watch_failure_ahap),
    FILE_OF("feedback/watch-retry.ahap", feedback_watch_retry_ahap),
    FILE_OF("feedback/watch-start.ahap", feedback_watch_start_ahap),
    FILE_OF("feedback/watch-stop.ahap", feedback_watch_stop_ahap),
    FILE_OF("feedback/watch-click.ahap", feedback_watch_click_ahap),
    FILE_OF("feedback/crown-detent.ahap", feedback_crown_detent_ahap),
    FILE_OF("samples/latch.ahap", samples_latch_ahap),
    FILE_OF("samples/heartbeat.ahap", samples_heartbeat_ahap),
    FILE_OF("samples/ball.ahap", samples_ball_ahap),
    FILE_OF("samples/rain.ahap", samples_rain_ahap),
    FILE_OF("samples/purr.ahap", samples_purr_ahap),
    FILE_OF("samples/spring.ahap", samples_spring_ahap),
    FILE_OF("samples/engine.ahap", samples_engine_ahap),
    FILE_OF("samples/wave.ahap", samples_wave_ahap),
    FILE_OF("maps/vrchat.json", maps_vrchat_json),
    FILE_OF("maps/reahaptic.json", maps_reahaptic_json),
};

embedded_file_t embedded_file(const char *name) {
    for (size_t index = 0; index < sizeof files / sizeof *files; index++) {
        if (strcmp(files[index].name, name) == 0) {
            return files[index];
        }
    }
    return (embedded_file_t){name, NULL, 0};
}

embedded_file_t embedded_file_at(size_t index) {
    return index < sizeof files / sizeof *files ? files[index] : (embedded_file_t){NULL, NULL, 0};
}
