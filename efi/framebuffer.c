/* SPDX-License-Identifier: MIT */
/* A framebuffer that can be written without the firmware. */
#include "efi/loader.h"

static EFI_GUID graphics = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;

/* The masks of a pixel; false if pixels are not 32 bits that can be written. */
static bool masks_of(const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info, struct framebuffer *f)
{
	switch (info->PixelFormat) {
	case PixelRedGreenBlueReserved8BitPerColor:
		f->red = 0xff;
		f->green = 0xff00;
		f->blue = 0xff0000;
		return true;
	case PixelBlueGreenRedReserved8BitPerColor:
		f->red = 0xff0000;
		f->green = 0xff00;
		f->blue = 0xff;
		return true;
	case PixelBitMask:
		f->red = info->PixelInformation.RedMask;
		f->green = info->PixelInformation.GreenMask;
		f->blue = info->PixelInformation.BlueMask;
		/* Pixels are 32 bits wide when the highest bit of any mask is in the top byte. */
		return f->red && f->green && f->blue &&
			((f->red | f->green | f->blue | info->PixelInformation.ReservedMask) >> 24);
	default:
		return false;
	}
}

static bool linear(EFI_GRAPHICS_OUTPUT_PROTOCOL *gop, struct framebuffer *f)
{
	EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE *mode = gop->Mode;

	if (!mode || !mode->Info)
		return false;
	uint64_t bytes = 4ULL * mode->Info->PixelsPerScanLine * mode->Info->VerticalResolution;
	/* Some firmware leaves FrameBufferSize 0; one that is too small is not to be trusted. */
	if (!mode->FrameBufferBase || !bytes ||
		(mode->FrameBufferSize && mode->FrameBufferSize < bytes) ||
		!masks_of(mode->Info, f))
		return false;
	f->span = (struct span){ mode->FrameBufferBase, bytes };
	f->width = mode->Info->HorizontalResolution;
	f->height = mode->Info->VerticalResolution;
	f->pitch = mode->Info->PixelsPerScanLine;
	f->shadow = NULL;
	f->absent = NULL;
	return true;
}

/* A display that has no framebuffer, and what it is to show. */
static EFI_GRAPHICS_OUTPUT_PROTOCOL *blt_display;
static const struct framebuffer *blt_screen;

static void show(unsigned x, unsigned y, unsigned width, unsigned height)
{
	blt_display->Blt(blt_display, (EFI_GRAPHICS_OUTPUT_BLT_PIXEL *)blt_screen->shadow,
		EfiBltBufferToVideo, x, y, x, y, width, height, 4 * blt_screen->pitch);
}

/* The first of such displays is taken. Pixels of Blt are blue, green, red from the lowest byte. */
static void blt_only(EFI_GRAPHICS_OUTPUT_PROTOCOL *gop, struct machine *m)
{
	const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info = gop->Mode ? gop->Mode->Info : NULL;

	m->screen.absent = "Blt only";
	if (blt_display || !info)
		return;
	m->screen.width = m->screen.pitch = info->HorizontalResolution;
	m->screen.height = info->VerticalResolution;
	m->screen.red = 0xff0000;
	m->screen.green = 0xff00;
	m->screen.blue = 0xff;
	m->screen.shadow = memory_pages(4ULL * m->screen.pitch * m->screen.height);
	blt_display = gop;
	blt_screen = &m->screen;
	m->display_show = show;
}

/* false: it has no framebuffer, or is no display; the next one may have. */
static bool use(EFI_HANDLE handle, struct machine *m)
{
	EFI_GRAPHICS_OUTPUT_PROTOCOL *gop = protocol_of(handle, &graphics);

	if (!gop || linear(gop, &m->screen))
		return gop;
	blt_only(gop, m);
	return false;
}

/* The display of the firmware's console is preferred. */
void screen_find(struct machine *m)
{
	EFI_HANDLE *handles = NULL;
	UINTN n = 0;

	m->screen.absent = "no display";
	if (use(fw.system->ConsoleOutHandle, m))
		return;
	if (EFI_ERROR(fw.boot->LocateHandleBuffer(ByProtocol, &graphics, NULL, &n, &handles)))
		return;
	for (UINTN i = 0; i < n && !use(handles[i], m); i++)
		;
	fw.boot->FreePool(handles);
}
