/* libsndfile, which reads sound files in many formats. */
#ifndef SOUND_FILE_H
#define SOUND_FILE_H

#include <sndfile.h>

#endif
