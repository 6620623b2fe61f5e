/* SPDX-License-Identifier: MIT */
/* The hand-over of USB controllers in room bare: which ones, what is said and noted of each. */
#ifndef KERNEL_USB_HANDOFF_H
#define KERNEL_USB_HANDOFF_H

#include "kernel/config.h"

struct jsonl;

/* Takes over those that the configuration allows, and that no earlier start hung in. */
void usb_take_over(const struct config *);
/* What was done, as a member of the run line; nothing with usb_handoff = off. */
void usb_describe_handoff(const struct config *, struct jsonl *);

#endif
