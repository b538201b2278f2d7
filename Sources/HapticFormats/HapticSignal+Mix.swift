// From a pattern to the signal that is felt of it.

import HapticCompiler
import HapticPatterns

extension HapticSignal {
    /// Makes the signal of a pattern: envelopes and controls applied, overlapping events mixed.
    public init(_ pattern: HapticPattern) {
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

    /// Removes the openings of the intensity control that are there for taps only, see
    /// ``HapticPatterns/HapticPattern/tapOpening``.
    private mutating func closeOpenings() {
        let times = Set(taps.map(\.time))
        for index in pieces.indices where times.contains(pieces[index].start) {
            let piece = pieces[index]
            guard piece.end - piece.start <= HapticPattern.tapOpening, piece.startIntensity == 1,
                piece.endIntensity == 1, index > 0 || index + 1 < pieces.count
            else { continue }
            let before = index > 0 ? pieces[index - 1] : nil
            let after = index + 1 < pieces.count ? pieces[index + 1] : nil
            let level = before.flatMap { $0.end == piece.start ? $0.endIntensity : nil }
            let next = after.flatMap { $0.start == piece.end ? $0.startIntensity : nil }
            pieces[index].startIntensity = level ?? next ?? 0
            pieces[index].endIntensity = next ?? level ?? 0
        }
    }
}

extension HapticSignal.Piece {
    /// Makes a piece of what is felt; nil for silence.
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
