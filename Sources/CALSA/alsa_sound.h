/* ALSA, the sound devices of Linux. */
#ifndef ALSA_SOUND_H
#define ALSA_SOUND_H

#include <alsa/asoundlib.h>

static void alsa_say_nothing(const char *file, int line, const char *function, int error,
                             const char *format, ...) {
    (void)file, (void)line, (void)function, (void)error, (void)format;
}

/* Keeps the library from printing messages of its own: errors are returned anyway. */
static inline void alsa_silence(void) { snd_lib_error_set_handler(alsa_say_nothing); }

#endif
