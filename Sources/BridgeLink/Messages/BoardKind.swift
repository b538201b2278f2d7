// BoardKind: the boards that the protocol tells apart.

import CBridgeProtocol

/// The boards that this version knows (SPEC 4.2).
public struct BoardKind: WireCode {
    /// The code as it is transmitted, whether this version knows it or not.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A device that does not say which board it is.
    public static let unknown = BoardKind(BRIDGE_BOARD_UNKNOWN)
    /// A model in a computer's memory.
    public static let virtual = BoardKind(BRIDGE_BOARD_VIRTUAL)
    /// An Arduino Uno or Nano, which have one image.
    public static let unoNano = BoardKind(BRIDGE_BOARD_UNO_NANO)
    /// A Raspberry Pi Pico.
    public static let pico = BoardKind(BRIDGE_BOARD_PICO)
    /// A Raspberry Pi Pico 2.
    public static let pico2 = BoardKind(BRIDGE_BOARD_PICO_2)
    /// A Seeed Studio XIAO RP2040.
    public static let xiaoRP2040 = BoardKind(BRIDGE_BOARD_XIAO_RP2040)
    /// A Seeed Studio XIAO RP2350.
    public static let xiaoRP2350 = BoardKind(BRIDGE_BOARD_XIAO_RP2350)
    /// An Adafruit QT Py RP2040.
    public static let qtPyRP2040 = BoardKind(BRIDGE_BOARD_QT_PY_RP2040)
    /// An Adafruit Feather RP2040.
    public static let featherRP2040 = BoardKind(BRIDGE_BOARD_FEATHER_RP2040)
    /// An Adafruit ItsyBitsy RP2040.
    public static let itsyBitsyRP2040 = BoardKind(BRIDGE_BOARD_ITSYBITSY_RP2040)
    /// An Adafruit KB2040.
    public static let kb2040 = BoardKind(BRIDGE_BOARD_KB2040)
    /// An Adafruit Trinkey QT2040.
    public static let trinkeyQT2040 = BoardKind(BRIDGE_BOARD_TRINKEY_QT2040)
    /// A SparkFun Pro Micro RP2040.
    public static let proMicroRP2040 = BoardKind(BRIDGE_BOARD_PRO_MICRO_RP2040)
    /// A SparkFun Pro Micro RP2350.
    public static let proMicroRP2350 = BoardKind(BRIDGE_BOARD_PRO_MICRO_RP2350)
    /// A SparkFun Thing Plus RP2040.
    public static let thingPlusRP2040 = BoardKind(BRIDGE_BOARD_THING_PLUS_RP2040)
    /// A Waveshare RP2040-Zero.
    public static let rp2040Zero = BoardKind(BRIDGE_BOARD_RP2040_ZERO)
    /// An Arduino Nano RP2040 Connect.
    public static let nanoRP2040Connect = BoardKind(BRIDGE_BOARD_NANO_RP2040_CONNECT)
    /// A Pimoroni Tiny 2040.
    public static let tiny2040 = BoardKind(BRIDGE_BOARD_TINY_2040)
    /// A Pimoroni Tiny 2350.
    public static let tiny2350 = BoardKind(BRIDGE_BOARD_TINY_2350)

    /// A board of any kind with the Arduino library, in a sketch that may have more to do.
    public static let arduino = BoardKind(BRIDGE_BOARD_ARDUINO)

    /// The names of the boards that this version knows.
    public static let names: [BoardKind: String] = [
        .unknown: "unknown board", .virtual: "virtual board", .unoNano: "Arduino Uno or Nano",
        .pico: "Raspberry Pi Pico", .pico2: "Raspberry Pi Pico 2",
        .xiaoRP2040: "Seeed Studio XIAO RP2040", .xiaoRP2350: "Seeed Studio XIAO RP2350",
        .qtPyRP2040: "Adafruit QT Py RP2040", .featherRP2040: "Adafruit Feather RP2040",
        .itsyBitsyRP2040: "Adafruit ItsyBitsy RP2040", .kb2040: "Adafruit KB2040",
        .trinkeyQT2040: "Adafruit Trinkey QT2040", .proMicroRP2040: "SparkFun Pro Micro RP2040",
        .proMicroRP2350: "SparkFun Pro Micro RP2350",
        .thingPlusRP2040: "SparkFun Thing Plus RP2040", .rp2040Zero: "Waveshare RP2040-Zero",
        .nanoRP2040Connect: "Arduino Nano RP2040 Connect", .tiny2040: "Pimoroni Tiny 2040",
        .tiny2350: "Pimoroni Tiny 2350", .arduino: "board with the Arduino library",
    ]

    /// True if the board has a USB port of its own: its bytes travel in packets, which no rate paces.
    /// A board with the Arduino library may have either, and is treated as if it had none.
    public var hasOwnUSB: Bool {
        isKnown && ![.unknown, .virtual, .unoNano, .arduino].contains(self)
    }

    /// True if a sketch polls what is due, so that its `loop()` can make anything late.
    public var isPolled: Bool { self == .arduino }

    /// The time by which a write may be late on a bus of 400 kHz, in microseconds: images start it in
    /// an interrupt; a sketch polls it, and what its `loop()` takes comes on top.
    public var writeLateness: Microseconds { isPolled ? Microseconds(BRIDGE_LATE_US) : 60 }

    /// The additional time by which a write may be late on a bus of 100 kHz, in microseconds: a
    /// transfer that takes so much longer may be on the bus, after two of the multiplexer (SPEC 6.6).
    public static let slowBusLateness: Microseconds = 800
}
