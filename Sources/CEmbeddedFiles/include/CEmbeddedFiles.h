// CEmbeddedFiles: the patterns, profiles and tables of the library, which are embedded from files
// in the folders of the modules that read them.

#ifndef CEMBEDDEDFILES_H
#define CEMBEDDEDFILES_H

#include <stddef.h>
#include <stdint.h>

/// A file that is part of the library.
typedef struct {
    const char *name;
    const uint8_t *bytes;
    size_t count;
} embedded_file_t;

/// Returns the file with the given name, such as "feedback/success.ahap"; its bytes are NULL if
/// there is no such file.
embedded_file_t embedded_file(const char *name);

/// Returns the file with the given index, counted from 0; its name is NULL if the index is beyond
/// the last file.
embedded_file_t embedded_file_at(size_t index);

#endif
