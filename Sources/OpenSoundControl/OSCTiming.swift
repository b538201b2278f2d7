// OSCTiming: when the messages of a datagram take effect.

/// The time of a bundle on the clock of the receiver.
public enum OSCTiming: Sendable, Equatable {
    /// The bundle asks for that, or stands for no time.
    case atOnce
    /// At this time of the receiver's clock, in seconds.
    case at(Double)
    /// At once, since its time has passed by so many seconds.
    case late(Double)
    /// Not at all: its time lies too many seconds ahead.
    case tooEarly(Double)

    /// The longest time, in seconds, by which a bundle may come early.
    public static let leadMax = 10.0

    /// - Parameters:
    ///   - tag: the time of the bundle.
    ///   - now: the present time of the receiver's clock, in seconds.
    ///   - unixTime: the present time in seconds since 1970.
    public init(_ tag: OSCTimeTag, now: Double, unixTime: Double) {
        guard tag != .immediately else {
            self = .atOnce
            return
        }
        let lead = tag.unixTime - unixTime
        if lead > Self.leadMax {
            self = .tooEarly(lead)
        } else {
            self = lead >= 0 ? .at(now + lead) : .late(-lead)
        }
    }
}

extension OSCPacket {
    /// The messages of the packet, each with the time tag of the bundle that it is directly in.
    public var messages: [(message: OSCMessage, tag: OSCTimeTag)] { messages(tag: .immediately) }

    private func messages(tag: OSCTimeTag) -> [(message: OSCMessage, tag: OSCTimeTag)] {
        switch self {
        case .message(let message): [(message, tag)]
        case .bundle(let tag, let packets): packets.flatMap { $0.messages(tag: tag) }
        }
    }
}
