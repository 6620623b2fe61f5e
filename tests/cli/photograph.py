#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# photograph.py IN OUT [scale=F] [rotate=DEGREES] [lean=F] [blur=PIXELS] [noise=SIGMA] [light=F] [jpeg=QUALITY]:
# what a hand-held camera makes of a screen. scale: pixels of the picture to one of the screen. lean: how much
# shorter the far side is than the near one, of 1. blur: radius, in pixels of the picture. noise: of each pixel,
# of 255. light: how dark the left edge is, of 1. The same arguments always give the same picture.
import sys

import numpy
from PIL import Image, ImageFilter


def perspective(size, lean):
    """The eight numbers of Pillow's transformation that makes the left side shorter."""
    width, height = size
    cut = lean * height / 2
    there = [(0, cut), (width, 0), (width, height), (0, height - cut)]
    here = [(0, 0), (width, 0), (width, height), (0, height)]
    rows = []
    for (x, y), (u, v) in zip(there, here):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    return numpy.linalg.solve(numpy.array(rows, float), numpy.array(here, float).reshape(8))


def photograph(picture, o):
    size = tuple(int(n * o["scale"]) for n in picture.size)
    picture = picture.convert("L").resize(size, Image.Resampling.BICUBIC)
    if o["lean"]:
        picture = picture.transform(size, Image.Transform.PERSPECTIVE, perspective(size, o["lean"]),
                                    Image.Resampling.BICUBIC)
    if o["rotate"]:
        picture = picture.rotate(o["rotate"], Image.Resampling.BICUBIC, expand=True)
    if o["blur"]:
        picture = picture.filter(ImageFilter.GaussianBlur(o["blur"]))
    pixels = numpy.asarray(picture, float)
    pixels = pixels * numpy.linspace(1 - o["light"], 1, pixels.shape[1])
    if o["noise"]:
        pixels = pixels + numpy.random.default_rng(1).normal(0, o["noise"], pixels.shape)
    return Image.fromarray(numpy.clip(pixels, 0, 255).astype("uint8"))


def main():
    o = {"scale": 1.0, "rotate": 0.0, "lean": 0.0, "blur": 0.0, "noise": 0.0, "light": 0.0, "jpeg": 90.0}
    for word in sys.argv[3:]:
        key, value = word.split("=")
        if key not in o:
            sys.exit("photograph.py: no such option: " + key)
        o[key] = float(value)
    photograph(Image.open(sys.argv[1]), o).save(sys.argv[2], quality=int(o["jpeg"]))


main()
