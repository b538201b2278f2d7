// KnownDevice: a table of the devices that can be identified by their USB ids.
//
// The USB id of a board identifies the board. The USB id of an adapter identifies only the USB
// serial chip, but not the board that is connected to the adapter. Sources: the board lists of the
// Arduino, SparkFun, Adafruit, Raspberry Pi and Espressif cores, and the kernel's USB serial
// drivers.

/// A device that is identified by its USB id.
public struct KnownDevice: Hashable, Sendable {
    /// The purpose of a device.
    public enum Role: Hashable, Sendable {
        /// A board that can run the firmware.
        case board
        /// A USB serial adapter. Any board or device may be connected to the adapter.
        case adapter
        /// A board that is in its boot loader. The board must be reset or flashed before it can be
        /// used.
        case bootloader
        /// The serial port of a debug probe.
        case probe
    }

    /// The name of the device, for messages.
    public var name: String
    /// The purpose of the device.
    public var role: Role
    /// True if the board has an RP2040. When its port is opened briefly at 1,200 baud
    /// (`PortHold.touch`), such a board starts a boot loader that appears as a drive.
    public var isRP2040 = false
    /// True if the board runs the firmware as an Arduino library in a sketch, so no firmware image
    /// exists for it.
    public var runsSketches = false
}

extension KnownDevice {
    /// Creates the device with the given USB vendor and product ids; nil if the device is unknown.
    public init?(vendor: UInt16, product: UInt16) {
        guard let known = Self.table[UInt32(vendor) << 16 | UInt32(product)] else { return nil }
        self = known
    }

    private static func table(_ name: String, _ role: Role, _ ids: UInt32...)
        -> [(UInt32, KnownDevice)]
    {
        ids.map { ($0, KnownDevice(name: name, role: role)) }
    }

    private static func rp2040(_ name: String, _ ids: UInt32...) -> [(UInt32, KnownDevice)] {
        ids.map { ($0, KnownDevice(name: name, role: .board, isRP2040: true)) }
    }

    private static func sketch(_ name: String, _ ids: UInt32...) -> [(UInt32, KnownDevice)] {
        ids.map { ($0, KnownDevice(name: name, role: .board, runsSketches: true)) }
    }

    /// All known devices. The key is vendor id × 65,536 + product id.
    private static let table: [UInt32: KnownDevice] = Dictionary(
        uniqueKeysWithValues: [
            // Arduino SA (2341) and Arduino Srl (2A03)
            table(
                "Arduino Uno", .board,
                0x2341_0043, 0x2341_0001, 0x2341_0243, 0x2341_006A, 0x2A03_0043),
            table(
                "Arduino Mega 2560", .board,
                0x2341_0010, 0x2341_0042, 0x2341_0210, 0x2341_0242, 0x2A03_0010, 0x2A03_0042),
            table("Arduino Leonardo", .board, 0x2341_8036, 0x2A03_8036),
            table("Arduino Leonardo (boot loader)", .bootloader, 0x2341_0036, 0x2A03_0036),
            table("Arduino Micro", .board, 0x2341_8037, 0x2341_8237),
            table("Arduino Micro (boot loader)", .bootloader, 0x2341_0037, 0x2341_0237),
            // SparkFun
            table("SparkFun Pro Micro", .board, 0x1B4F_9206, 0x1B4F_9204),
            table("SparkFun Pro Micro (boot loader)", .bootloader, 0x1B4F_9205, 0x1B4F_9203),
            // Boards with an RP2040, from Raspberry Pi's list of its product ids
            // (raspberrypi/usb-pid) and from the list of boards in earlephilhower/arduino-pico.
            // With firmware that sets no product id of its own, such as the firmware of this
            // project, most boards have the product id 000A.
            rp2040("Raspberry Pi Pico", 0x2E8A_000A, 0x2E8A_0009, 0x2E8A_F00A),
            rp2040("Raspberry Pi Pico (MicroPython)", 0x2E8A_0005),
            rp2040("Raspberry Pi Pico (CircuitPython)", 0x2E8A_000B),
            table("RP2040 (boot loader)", .bootloader, 0x2E8A_0003),
            table("RP2350 (boot loader)", .bootloader, 0x2E8A_000F),
            rp2040("Adafruit Feather RP2040", 0x239A_80F1),
            rp2040("Adafruit ItsyBitsy RP2040", 0x239A_80FD),
            rp2040("Adafruit QT Py RP2040", 0x239A_80F7),
            rp2040("Adafruit Trinkey QT2040", 0x239A_8109),
            rp2040("Adafruit KB2040", 0x239A_8105),
            rp2040(
                "Arduino Nano RP2040 Connect",
                0x2341_005E, 0x2341_805E, 0x2341_015E, 0x2341_025E),
            rp2040("Pimoroni Tiny 2040", 0x2E8A_1016),
            rp2040("SparkFun Pro Micro or Thing Plus RP2040", 0x1B4F_0026),
            rp2040("Waveshare RP2040-Zero", 0x2E8A_101F),
            // Raspberry Pi
            table("Raspberry Pi Debug Probe", .probe, 0x2E8A_0004),
            // STMicroelectronics
            table(
                "STM32 Nucleo", .board,
                0x0483_374B, 0x0483_3752, 0x0483_374D, 0x0483_374E, 0x0483_374F, 0x0483_3753,
                0x0483_3754),
            table("STM32 USB serial", .board, 0x0483_5740),
            // Espressif: the USB ids of the S3, C3 and C6, and those of the S2 and S3 with TinyUSB
            sketch("ESP32 USB serial", 0x303A_1001, 0x303A_1002, 0x303A_0002),
            // Arduino SA: the USB bridge of the UNO R4 WiFi is an ESP32-S3
            sketch("Arduino UNO R4 Minima", 0x2341_0069),
            sketch("Arduino UNO R4 WiFi", 0x2341_1002, 0x2341_006D),
            sketch("Arduino Nano ESP32", 0x2341_0070),
            // Adafruit
            sketch("Adafruit Feather nRF52840", 0x239A_8029, 0x239A_802A),
            table("Adafruit Feather nRF52840 (boot loader)", .bootloader, 0x239A_0029, 0x239A_002A),
            // Seeed Studio: the second id is the id of the Sense model
            sketch("Seeed Studio XIAO nRF52840", 0x2886_8044, 0x2886_8045),
            table(
                "Seeed Studio XIAO nRF52840 (boot loader)", .bootloader, 0x2886_0044, 0x2886_0045),
            // PJRC
            sketch("Teensy", 0x16C0_0483),
            // pid.codes: the id for tests
            table("pid.codes test device", .board, 0x1209_0001),
            // USB serial adapters
            table("CH340 serial adapter (Nano/Uno clone?)", .adapter, 0x1A86_7523),
            table("CH342 serial adapter", .adapter, 0x1A86_55D2),
            table("CH343 serial adapter", .adapter, 0x1A86_55D3),
            table("CH9102 serial adapter (ESP32?)", .adapter, 0x1A86_55D4),
            table("CH344 serial adapter", .adapter, 0x1A86_55D5),
            table("FT232R serial adapter (Nano?)", .adapter, 0x0403_6001),
            table("FT23xX serial adapter", .adapter, 0x0403_6015),
            table("FT2232 serial adapter", .adapter, 0x0403_6010),
            table(
                "CP210x serial adapter (ESP32?)", .adapter,
                0x10C4_EA60, 0x10C4_EA70, 0x10C4_EA71),
            table("PL2303 serial adapter", .adapter, 0x067B_2303, 0x067B_23A3),
        ].flatMap { $0 })
}
