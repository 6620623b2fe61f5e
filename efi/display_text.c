/* SPDX-License-Identifier: MIT */
/*
 * Keeps the firmware's text off the display that we draw on: it goes to its other consoles only.
 * EDK II installs a protocol without functions on each device that its console has
 * (ConsoleOutDevice.h); where no device has it, the display stays the firmware's.
 */
#include "efi/loader.h"

#define OUTPUTS_MOST 8

static EFI_GUID console_device = { 0xd3b36f2c, 0xd551, 0x11d4,
	{ 0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d } };
static EFI_GUID graphics = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
static EFI_GUID text_output = SIMPLE_TEXT_OUTPUT_PROTOCOL;

static struct {
	SIMPLE_TEXT_OUTPUT_INTERFACE *on_display[OUTPUTS_MOST], *elsewhere[OUTPUTS_MOST];
	UINTN displays, others;
	const struct framebuffer *screen;
	bool taken;
} outputs;

/* Whether the device draws into our framebuffer, or is a display that only Blt reaches. */
static bool is_ours(EFI_HANDLE device)
{
	EFI_GRAPHICS_OUTPUT_PROTOCOL *gop = protocol_of(device, &graphics);

	if (!gop || !gop->Mode)
		return false;
	return !outputs.screen->span.bytes ||
		gop->Mode->FrameBufferBase == outputs.screen->span.base;
}

static void add(EFI_HANDLE device)
{
	SIMPLE_TEXT_OUTPUT_INTERFACE *text = protocol_of(device, &text_output);

	if (!text || device == fw.system->ConsoleOutHandle || outputs.displays == OUTPUTS_MOST ||
		outputs.others == OUTPUTS_MOST)
		return;
	if (is_ours(device))
		outputs.on_display[outputs.displays++] = text;
	else
		outputs.elsewhere[outputs.others++] = text;
}

static void find_outputs(void)
{
	EFI_HANDLE *devices = NULL;
	UINTN n = 0;

	outputs.displays = outputs.others = 0;
	if (EFI_ERROR(fw.boot->LocateHandleBuffer(ByProtocol, &console_device, NULL, &n, &devices)))
		return;
	for (UINTN i = 0; i < n; i++)
		add(devices[i]);
	fw.boot->FreePool(devices);
}

static bool take(void)
{
	find_outputs();
	outputs.taken = outputs.displays || !fw.system->ConOut;
	return outputs.taken;
}

static void give_back(void)
{
	for (UINTN i = 0; outputs.taken && i < outputs.displays; i++)
		outputs.on_display[i]->ClearScreen(outputs.on_display[i]);
	outputs.taken = false;
}

void display_open(struct machine *m)
{
	outputs.screen = &m->screen;
	m->display_take = take;
	m->display_give_back = give_back;
}

void print_wide(CHAR16 *text)
{
	if (!outputs.taken)
		fw.system->ConOut->OutputString(fw.system->ConOut, text);
	for (UINTN i = 0; outputs.taken && i < outputs.others; i++)
		outputs.elsewhere[i]->OutputString(outputs.elsewhere[i], text);
}
