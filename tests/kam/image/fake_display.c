/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/fake_display.h"
#include "tests/kam/image/fake_efi.h"

#define WRITE_NS 500      /* of a pixel: uncached, half a second for 1280x800 */
#define LOGO     0x808080 /* what the firmware shows */
#define PAD      64       /* pixels: lines are a multiple apart, and more than their width */

/* Handles, and what the services hand out: in the page of the protocol's table. */
#define DISPLAY_HANDLE  (TABLES_AT + 0x7020)
#define SERIAL_HANDLE   (TABLES_AT + 0x7030)
#define GOP_AT          efi_table_at(EFI_GRAPHICS)
#define MODE_AT         (GOP_AT + 0x40)
#define INFO_AT         (GOP_AT + 0x80)
#define DISPLAY_TEXT_AT (GOP_AT + 0x100)
#define SERIAL_TEXT_AT  (GOP_AT + 0x180)
#define HANDLES_AT      (GOP_AT + 0x200)

enum { BLT_X = 5, BLT_Y, BLT_WIDTH, BLT_HEIGHT, BLT_DELTA }; /* arguments of Blt */

bool display_parse(const char *text, struct display_request *out)
{
	int end = 0;

	*out = (struct display_request){ 0 };
	if (sscanf(text, "%ux%u%n", &out->width, &out->height, &end) != 2 || !out->width ||
		!out->height || out->width > DISPLAY_MOST || out->height > DISPLAY_MOST)
		return false;
	out->blt = !strcmp(text + end, ",blt");
	return out->blt || !text[end];
}

static size_t bytes_of(const struct display *d)
{
	return 4ul * d->pitch * d->height;
}

struct display *display_new(unsigned width, unsigned height)
{
	struct display *d = calloc(1, sizeof(*d));
	size_t i;

	if (!d)
		fatal("no memory for a display");
	*d = (struct display){ width, height, (width / PAD + 1) * PAD, NULL, NULL, NULL, NULL };
	d->pixels = malloc(bytes_of(d));
	if (!d->pixels)
		fatal("no memory for a display");
	for (i = 0; i < bytes_of(d) / 4; i++)
		d->pixels[i] = LOGO;
	return d;
}

void display_write(struct full_system *w, uint64_t offset, unsigned bytes, uint64_t value)
{
	struct display *d = w->display;

	system_pass_time(w, WRITE_NS);
	w->output = true;
	if (offset + bytes > bytes_of(d) || offset / 4 % d->pitch + bytes / 4 > d->width) {
		system_wrong(w, "it writes beside the pixels of the display");
		return;
	}
	memcpy((uint8_t *)d->pixels + offset, &value, bytes);
}

void display_dump(const struct display *d, const char *path)
{
	FILE *f = fopen(path, "wb");
	unsigned x, y;

	if (!f)
		fatal("%s: cannot be written", path);
	fprintf(f, "P6 %u %u 255\n", d->width, d->height);
	for (y = 0; y < d->height; y++)
		for (x = 0; x < d->width; x++) {
			uint32_t p = d->pixels[(size_t)y * d->pitch + x];
			const uint8_t part[3] = { (uint8_t)(p >> 16), (uint8_t)(p >> 8),
				(uint8_t)p };

			fwrite(part, 1, sizeof(part), f);
		}
	if (fclose(f))
		fatal("%s: cannot be written", path);
}

/* --- the framebuffer --- */

static uint64_t on_read(uc_engine *uc, uint64_t offset, unsigned bytes, void *priv)
{
	system_wrong(priv, "it reads the framebuffer, which is slow");
	return 0;
}

static void on_write(uc_engine *uc, uint64_t offset, unsigned bytes, uint64_t value, void *priv)
{
	display_write(priv, offset, bytes, value);
}

void display_attach(struct full_system *w)
{
	if (w->display && !w->request->display.blt)
		unicorn_check(uc_mmio_map(w->uc, DISPLAY_AT, (bytes_of(w->display) + 4095) & -4096,
				      on_read, w, on_write, w),
			"mapping the framebuffer");
}

/* --- services --- */

static uint64_t blt(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	struct display *d = w->display;
	uint64_t delta = a[BLT_DELTA] ? a[BLT_DELTA] : 4 * a[BLT_WIDTH], y;

	if (a[2] != EfiBltBufferToVideo)
		fatal("the image calls Blt with operation %lu: not written", a[2]);
	if (a[BLT_X] + a[BLT_WIDTH] > d->width || a[BLT_Y] + a[BLT_HEIGHT] > d->height) {
		system_wrong(w, "Blt is called for pixels that the display does not have");
		return EFI_INVALID_PARAMETER;
	}
	for (y = 0; y < a[BLT_HEIGHT]; y++)
		memcpy(d->pixels + (a[BLT_Y] + y) * d->pitch + a[BLT_X],
			ram_at(&w->ram, a[1] + (a[4] + y) * delta + 4 * a[3], 4 * a[BLT_WIDTH]),
			4 * a[BLT_WIDTH]);
	system_pass_time(w, WRITE_NS * a[BLT_WIDTH] * a[BLT_HEIGHT]);
	w->output = true;
	return EFI_SUCCESS;
}

/* The system's console is the display and the serial line together. */
static uint64_t clear_screen(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	if (a[0] != SERIAL_TEXT_AT)
		memset(w->display->pixels, 0, bytes_of(w->display));
	return EFI_SUCCESS;
}

static uint64_t output_string(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	if (a[0] == DISPLAY_TEXT_AT)
		system_wrong(w, "text goes to the display that the image draws on");
	return w->display->print(w, a);
}

/* EDK II's mark of a device that the system's console has (ConsoleOutDevice.h). */
static const EFI_GUID console_device = { 0xd3b36f2c, 0xd551, 0x11d4,
	{ 0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d } };
static const EFI_GUID graphics = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
static const EFI_GUID text_output = SIMPLE_TEXT_OUTPUT_PROTOCOL;

static bool is_guid(struct full_system *w, uint64_t address, const EFI_GUID *guid)
{
	return !memcmp(ram_at(&w->ram, address, sizeof(*guid)), guid, sizeof(*guid));
}

static uint64_t handle_protocol(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	if (a[0] == DISPLAY_HANDLE && is_guid(w, a[1], &graphics))
		*efi_number(w, a[2]) = GOP_AT;
	else if (a[0] == DISPLAY_HANDLE && is_guid(w, a[1], &text_output))
		*efi_number(w, a[2]) = DISPLAY_TEXT_AT;
	else if (a[0] == SERIAL_HANDLE && is_guid(w, a[1], &text_output))
		*efi_number(w, a[2]) = SERIAL_TEXT_AT;
	else
		return w->display->handle_protocol(w, a);
	return EFI_SUCCESS;
}

static uint64_t locate_handles(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	bool consoles = is_guid(w, a[1], &console_device);

	if (!consoles && !is_guid(w, a[1], &graphics))
		return w->display->locate(w, a);
	*efi_number(w, HANDLES_AT) = DISPLAY_HANDLE;
	*efi_number(w, HANDLES_AT + 8) = SERIAL_HANDLE;
	*efi_number(w, a[3]) = consoles ? 2 : 1;
	*efi_number(w, a[4]) = HANDLES_AT;
	return EFI_SUCCESS;
}

static uint64_t free_pool(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	if (a[0] != HANDLES_AT)
		system_wrong(w, "FreePool is called for memory that nobody has");
	return EFI_SUCCESS;
}

/* --- the machine's memory --- */

static void fill_mode(struct full_system *w)
{
	EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE *mode = ram_at(&w->ram, MODE_AT, sizeof(*mode));
	EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info = ram_at(&w->ram, INFO_AT, sizeof(*info));
	const struct display *d = w->display;
	bool linear = !w->request->display.blt;

	*info = (EFI_GRAPHICS_OUTPUT_MODE_INFORMATION){ .HorizontalResolution = d->width,
		.VerticalResolution = d->height,
		.PixelFormat = linear ? PixelBlueGreenRedReserved8BitPerColor : PixelBltOnly,
		.PixelsPerScanLine = linear ? d->pitch : d->width };
	*mode = (EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE){ .MaxMode = 1,
		.Info = (void *)INFO_AT,
		.SizeOfInfo = sizeof(*info),
		.FrameBufferBase = linear ? DISPLAY_AT : 0,
		.FrameBufferSize = linear ? bytes_of(d) : 0 };
	*efi_number(w, GOP_AT + offsetof(EFI_GRAPHICS_OUTPUT_PROTOCOL, Mode)) = MODE_AT;
}

/* Both devices have the functions of the system's console, which are told apart by This. */
static void fill_consoles(struct full_system *w)
{
	const size_t bytes = sizeof(SIMPLE_TEXT_OUTPUT_INTERFACE);
	const void *text = ram_at(&w->ram, efi_table_at(EFI_CON_OUT), bytes);

	memcpy(ram_at(&w->ram, DISPLAY_TEXT_AT, bytes), text, bytes);
	memcpy(ram_at(&w->ram, SERIAL_TEXT_AT, bytes), text, bytes);
}

void display_init(struct full_system *w)
{
	const struct display_request *r = &w->request->display;
	struct display *d;

	if (!r->width)
		return;
	w->display = d = display_new(r->width, r->height);
	fill_mode(w);
	fill_consoles(w);
	efi_replace(w, EFI_GRAPHICS, offsetof(EFI_GRAPHICS_OUTPUT_PROTOCOL, Blt), blt);
	efi_replace(w, EFI_CON_OUT, offsetof(SIMPLE_TEXT_OUTPUT_INTERFACE, ClearScreen),
		clear_screen);
	efi_replace(w, EFI_BOOT, offsetof(EFI_BOOT_SERVICES, FreePool), free_pool);
	d->print = efi_replace(w, EFI_CON_OUT, offsetof(SIMPLE_TEXT_OUTPUT_INTERFACE, OutputString),
		output_string);
	d->handle_protocol = efi_replace(w, EFI_BOOT, offsetof(EFI_BOOT_SERVICES, HandleProtocol),
		handle_protocol);
	d->locate = efi_replace(w, EFI_BOOT, offsetof(EFI_BOOT_SERVICES, LocateHandleBuffer),
		locate_handles);
	display_attach(w);
}

void display_free(struct full_system *w)
{
	if (!w->display)
		return;
	if (w->request->screendump)
		display_dump(w->display, w->request->screendump);
	free(w->display->pixels);
	free(w->display);
	w->display = NULL;
}
