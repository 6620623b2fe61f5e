/* SPDX-License-Identifier: MIT */
/* Where the parts of this program lie in memory: symbols of linker/image.lds, all page-aligned. */
#ifndef KERNEL_IMAGE_H
#define KERNEL_IMAGE_H

/* Symbols of the linker are addresses: `(uint64_t)image_base`. Each end is one past the last byte,
 * rounded up to a page. */
extern unsigned char image_base[], image_end[];   /* all of it, the PE header first */
extern unsigned char text_start[], text_end[];    /* code, .kern included: read, execute */
extern unsigned char rodata_start[], rodata_end[]; /* constants: read */
extern unsigned char data_start[], data_end[];    /* variables, .bss included: read, write */

#endif
