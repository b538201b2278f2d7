// OSCTransport: the position of a sender that plays a time line, and the clip that waits for it.

/// A clip as a text, with the position at which its sender plays it.
///
/// The envelopes, an object in JSON, may be preceded by a line: `SendTime: ` and a position in
/// seconds, or `name: ` and a name, which may have further lines.
struct OSCClip: Sendable, Equatable {
    /// The envelopes as JSON.
    let envelopes: String
    /// The position on the sender's time line, in seconds; nil for at once.
    let position: Double?

    /// Reads a text. Returns nil if it begins otherwise, or if the position is no number.
    init?(_ text: String) {
        if text.utf8.first == UInt8(ascii: "{") {
            (envelopes, position) = (text, nil)
            return
        }
        // The lines of the heading end where the object begins.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first,
            let start = lines.dropFirst().firstIndex(where: { $0.hasPrefix("{") })
        else { return nil }
        envelopes = lines[start...].joined(separator: "\n")
        if first.hasPrefix(Self.nameLabel) {
            position = nil
        } else if first.hasPrefix(Self.positionLabel),
            let seconds = Double(first.dropFirst(Self.positionLabel.count)), seconds.isFinite
        {
            position = seconds
        } else {
            return nil
        }
    }

    private static let nameLabel = "name: "
    private static let positionLabel = "SendTime: "
}

/// The position of a sender while it plays, and what it has to play when it gets there.
struct OSCTransport: Sendable {
    /// A clip that waits for its position, and the locality at which it is felt.
    private struct Waiting {
        let envelopes: String
        let position: Double
        let locality: String?
    }

    /// The last known position, in seconds, and the time of the receiver's clock at which it was
    /// reached; nil while the sender does not play, or has not told its position.
    private var known: (position: Double, time: Double)?
    private var waiting: Waiting?

    /// Forgets the position and the clip that waits.
    mutating func reset() { self = OSCTransport() }

    /// Takes the position that the sender has reached at a time. Returns the clip that is due.
    mutating func move(to position: Double, at time: Double) -> OSCEffect? {
        known = (position, time)
        return due(at: time)
    }

    /// Takes a clip. Returns it if it is due; otherwise it replaces one that waits.
    mutating func take(_ clip: OSCClip, locality: String?, at time: Double) -> OSCEffect? {
        guard let position = clip.position else {
            return OSCEffect(.envelopes(clip.envelopes, delay: 0), locality: locality)
        }
        waiting = Waiting(envelopes: clip.envelopes, position: position, locality: locality)
        return due(at: time)
    }

    /// Returns the clip that waits, with its delay from a time, once the position is known and not
    /// too far from it.
    private mutating func due(at time: Double) -> OSCEffect? {
        guard let known, let clip = waiting else { return nil }
        let delay = max(0, clip.position - known.position - (time - known.time))
        guard delay <= OSCTiming.leadMax else { return nil }
        waiting = nil
        return OSCEffect(.envelopes(clip.envelopes, delay: delay), locality: clip.locality)
    }
}
