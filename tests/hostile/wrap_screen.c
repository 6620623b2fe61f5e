/* SPDX-License-Identifier: MIT */
/* The display and the console. */
#include <string.h>

#include "tests/hostile/hostile_efi.h"

static EFI_GUID graphics = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;

/* Differences of the display that the image gets. */
static struct {
	bool blt_only, rotated, large, stride;
} screen;

static void *changed(void *interface)
{
	static EFI_GRAPHICS_OUTPUT_PROTOCOL gop;
	static EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE mode;
	static EFI_GRAPHICS_OUTPUT_MODE_INFORMATION info;
	const EFI_GRAPHICS_OUTPUT_PROTOCOL *firmware = interface;

	gop = *firmware;
	mode = *firmware->Mode;
	info = *firmware->Mode->Info;
	gop.Mode = &mode;
	mode.Info = &info;
	if (screen.blt_only) {
		info.PixelFormat = PixelBltOnly;
		mode.FrameBufferBase = 0;
		mode.FrameBufferSize = 0;
	}
	if (screen.rotated) { /* the same pixels, in lines of another length */
		info.HorizontalResolution = firmware->Mode->Info->VerticalResolution;
		info.VerticalResolution = firmware->Mode->Info->HorizontalResolution;
		info.PixelsPerScanLine = info.HorizontalResolution;
	}
	if (screen.stride)
		info.HorizontalResolution -= 24;
	if (screen.large) { /* in memory: nobody sees it, but it costs what it costs */
		static void *pixels;

		info.HorizontalResolution = info.PixelsPerScanLine = 3840;
		info.VerticalResolution = 2160;
		mode.FrameBufferSize = 3840 * 2160 * 4;
		if (!pixels)
			pixels = pages_of(EfiReservedMemoryType, mode.FrameBufferSize / PAGE_BYTES);
		mode.FrameBufferBase = (UINTN)pixels;
	}
	return &gop;
}

static void begin_none(uint64_t n)
{
	protocol_replace(&graphics, NULL);
}

static void begin_blt_only(uint64_t n)
{
	screen.blt_only = true;
	protocol_replace(&graphics, changed);
}

static void begin_rotated(uint64_t n)
{
	screen.rotated = true;
	protocol_replace(&graphics, changed);
}

static void begin_large(uint64_t n)
{
	screen.large = true;
	protocol_replace(&graphics, changed);
}

static void begin_stride(uint64_t n)
{
	screen.stride = true;
	protocol_replace(&graphics, changed);
}

static void begin_no_console(uint64_t n)
{
	given.system.ConOut = NULL;
	given.system.ConsoleOutHandle = NULL;
}

const struct firmware_misbehaviour screen_misbehaviours[] = {
	{ "gop-none", 0, begin_none },
	{ "gop-bltonly", 0, begin_blt_only },
	{ "gop-rotated", 0, begin_rotated },
	{ "gop-4k", 0, begin_large },
	{ "gop-stride", 0, begin_stride },
	{ "conout-none", 0, begin_no_console },
	{ 0 },
};
