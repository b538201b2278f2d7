// StudioAnnouncement: how Meta Haptics Studio makes itself known on a network.

import JSONText

/// The datagram that Meta Haptics Studio broadcasts each second.
public struct StudioAnnouncement: Sendable, Equatable {
    /// The UDP port at which it arrives.
    public static let listeningPort = 9998
    /// The TCP port of the editor unless it says otherwise.
    public static let usualPort = 9999

    /// The name of the computer, without anything that a terminal would obey.
    public let hostname: String
    /// The TCP port at which the editor listens.
    public let port: Int

    /// The most bytes of an announcement; longer ones are none.
    private static let bytesMax = 1024

    /// Reads a datagram; nil if it is no announcement.
    public init?(_ datagram: [UInt8]) {
        guard datagram.count <= Self.bytesMax,
            let value = try? JSONReader.read(datagram, mode: .strict).value,
            let hostname = value["hostname"]?.string, let port = value["port"]?.number,
            let port = Int(exactly: port), 1...65_535 ~= port
        else { return nil }
        self.hostname = hostname.asNameOfStranger
        self.port = port
    }
}
