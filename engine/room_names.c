/* SPDX-License-Identifier: MIT */
#include "engine/room.h"

#define ROOM(name) #name,

const char *const room_names[] = {
#include "lib/rooms.inc"
};
