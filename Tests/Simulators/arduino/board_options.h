// The command-line options that only this kind of board has. There are none.
#ifndef BOARD_OPTIONS_H
#define BOARD_OPTIONS_H

struct board_options {
    char none;
};

#endif
