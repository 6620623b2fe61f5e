/* SPDX-License-Identifier: MIT */
#include "kernel/usb_handoff.h"

#include "kernel/console/console.h"
#include "kernel/firmware/usb.h"
#include "kernel/steps.h"
#include "lib/text.h"

static struct {
	const char *skip; /* as configured */
	struct usb usb;
} handoff;

static const char *enter(const char *pci, const char *kind)
{
	char step[STEP_NAME];
	const char *why;

	text_format(step, sizeof step, "usb-%s", pci);
	why = usb_listed(handoff.skip, pci) ? "left to the firmware: usb_skip" : step_hung(step);
	if (!why)
		step_enter(step);
	console_printf("USB controller %s %s: %s", pci, kind, why ? why : "");
	if (why)
		console_printf("\n");
	return why;
}

static void left(const char *outcome)
{
	console_printf("%s\n", outcome);
}

void usb_take_over(const struct config *config)
{
	struct usb_calls calls = usb_pci_ports;

	if (config->usb_handoff == USB_HANDOFF_OFF)
		return;
	handoff.skip = config->usb_skip;
	calls.enter = enter;
	calls.left = left;
	usb_handoff_all(&calls, &handoff.usb);
}

void usb_describe_handoff(const struct config *config, struct jsonl *l)
{
	if (config->usb_handoff == USB_HANDOFF_ON)
		usb_describe(&handoff.usb, l);
}
