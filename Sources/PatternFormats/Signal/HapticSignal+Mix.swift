// Conversion of a pattern to a signal.

import HapticCompiler
import HapticPatterns

extension HapticSignal {
    /// Creates a signal from a pattern. Envelopes and controls are applied, and overlapping events
    /// are mixed.
    package init(_ pattern: HapticPattern) {
        let mixed = MixedPattern(pattern)
        let taps = mixed.taps.filter { $0.intensity > 0 }.map {
            Tap(
                time: $0.time, intensity: $0.intensity, sharpness: $0.sharpness,
                location: pattern.events[$0.source].location)
        }
        let pieces = mixed.pieces.compactMap(Piece.init)
        self.init(pieces: pieces, taps: taps)
        closeOpenings()
    }

    /// Removes the short intervals in which the intensity control is 1 only to let a tap through;
    /// see ``HapticPatterns/HapticPattern/tapOpening``.
    private mutating func closeOpenings() {
        let times = Set(taps.map { $0.time })
        var index = 0
        while index < pieces.count {
            let end = endOfOpenings(from: index, at: times)
            if end > index, end - index < pieces.count { close(index..<end) }
            index = max(end, index + 1)
        }
    }

    /// Returns the end index of the adjacent pieces of full intensity that begin with the given
    /// piece, if each of them lies within the opening for a tap. Returns the given index if there
    /// are no such pieces, or if one of them extends beyond the opening.
    private func endOfOpenings(from index: Int, at times: Set<Microseconds>) -> Int {
        var latest = pieces[index].start
        var end = index
        while end < pieces.count, pieces[end].isFull,
            end == index || pieces[end - 1].end == pieces[end].start
        {
            if times.contains(pieces[end].start) {
                latest = pieces[end].start + HapticPattern.tapOpening
            }
            guard pieces[end].end <= latest else { return index }
            end += 1
        }
        return end
    }

    /// Replaces the intensities of an opening with a linear transition between its neighbors.
    private mutating func close(_ opening: Range<Int>) {
        let (first, last) = (pieces[opening.lowerBound], pieces[opening.upperBound - 1])
        let before = opening.lowerBound > 0 ? pieces[opening.lowerBound - 1] : nil
        let after = opening.upperBound < pieces.count ? pieces[opening.upperBound] : nil
        let level = before.flatMap { $0.end == first.start ? $0.endIntensity : nil }
        let next = after.flatMap { $0.start == last.end ? $0.startIntensity : nil }
        let line = Piece(
            from: first.start, to: last.end, intensity: (level ?? next ?? 0, next ?? level ?? 0),
            sharpness: (0, 0))
        for index in opening {
            pieces[index].startIntensity = line.intensity(at: pieces[index].start)
            pieces[index].endIntensity = line.intensity(at: pieces[index].end)
        }
    }
}

extension HapticSignal.Piece {
    /// True if the intensity is 1 throughout.
    fileprivate var isFull: Bool { startIntensity == 1 && endIntensity == 1 }

    /// Creates a piece of the signal from a piece of the mix; nil for silence.
    fileprivate init?(_ piece: MixedPiece) {
        guard let sharpness = piece.sharpness else { return nil }
        func value(_ line: Line, _ time: Microseconds) -> Double {
            min(max(line.value(at: time), 0), 1)
        }
        self.init(
            from: piece.start, to: piece.end,
            intensity: (value(piece.level, piece.start), value(piece.level, piece.end)),
            sharpness: (value(sharpness, piece.start), value(sharpness, piece.end)))
    }
}
