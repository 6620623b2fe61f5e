/* SPDX-License-Identifier: MIT */
/* How the bare room's result leaves the machine: variable, reset, file. */
#ifndef KERNEL_RESULT_DELIVERY_H
#define KERNEL_RESULT_DELIVERY_H

#include <stdbool.h>

#include "kernel/config.h"
#include "kernel/machine.h"

/* What a pending result means for this start. */
enum arrival {
	ARRIVAL_NONE, /* measure */
	ARRIVAL_HOME, /* it is in its file now and was shown: this start is done */
	ARRIVAL_KEPT, /* it could not be brought home: room bare would overwrite it */
};

/* At the start, while the firmware lives. */
enum arrival delivery_receive(const struct machine *);

/*
 * Before room bare: says where its result will go. false: the room is not to be entered, because
 * the last three times brought nothing home.
 */
bool delivery_prepare(const struct machine *, const struct config *);

/* After room bare: stores its result and resets, or returns and has said why it does not. */
void delivery_send(const struct machine *);

#endif
