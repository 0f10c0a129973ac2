"""Finds the triangle of each pixel with arithmetic of its own: no GL, no code of the server."""
import numpy


class Raster:
    """triangle: [height, width], -1 for none; weights: [height, width, 3] of its corners, with perspective; depth: [height, width], along
    the line of sight. is_inner: no silhouette edge is near."""

    def __init__(self, points, triangles, clip_from_view, width, height, culls=True):
        """points: [n, 3] in the camera's space. Samples are at the centres of pixels."""
        clip = numpy.c_[points, numpy.ones(len(points))] @ clip_from_view.T
        assert (clip[:, 3] > 0).all(), "no vertex is behind the camera"
        screen = (clip[:, :2] / clip[:, 3:] * [0.5, -0.5] + 0.5) * [width, height]
        inverse_w = 1 / clip[:, 3]
        self.triangle = numpy.full((height, width), -1)
        self.depth = numpy.full((height, width), numpy.inf)
        self.weights = numpy.zeros((height, width, 3))
        for number, corners in enumerate(triangles):
            self._add(number, screen[corners], inverse_w[corners], -points[corners, 2], culls)
        covered = self.triangle >= 0
        step_max = 0.02 * numpy.ptp(self.depth[covered]) if covered.any() else 0
        self.is_inner = covered.copy()
        for axis in (0, 1):
            for step in (-1, 1):
                beside = numpy.roll(self.depth, step, axis)
                self.is_inner &= numpy.abs(numpy.where(covered, self.depth, 0) - beside) < step_max

    def _add(self, number, at, inverse_w, depths, culls):
        height, width = self.triangle.shape
        area = (at[1, 0] - at[0, 0]) * (at[2, 1] - at[0, 1]) - (at[1, 1] - at[0, 1]) * (at[2, 0] - at[0, 0])
        if area == 0 or (culls and area > 0):  # rows go down, so counterclockwise becomes negative
            return
        low = numpy.maximum(numpy.ceil(at.min(0) - 0.5), 0).astype(int)
        high = numpy.minimum(numpy.floor(at.max(0) - 0.5), [width - 1, height - 1]).astype(int)
        if (low > high).any():
            return
        x, y = numpy.meshgrid(numpy.arange(low[0], high[0] + 1) + 0.5, numpy.arange(low[1], high[1] + 1) + 0.5)
        flat = numpy.stack([(at[j, 0] - x) * (at[k, 1] - y) - (at[j, 1] - y) * (at[k, 0] - x)
                            for j, k in ((1, 2), (2, 0), (0, 1))], -1) / area
        weights = flat * inverse_w
        weights /= numpy.maximum(weights.sum(-1, keepdims=True), 1e-30)
        depth = weights @ depths
        part = numpy.s_[low[1]:high[1] + 1, low[0]:high[0] + 1]
        is_nearer = (flat >= 0).all(-1) & (depth < self.depth[part])
        self.triangle[part][is_nearer] = number
        self.depth[part][is_nearer] = depth[is_nearer]
        self.weights[part][is_nearer] = weights[is_nearer]
