// FeltAcceleration: what a finger would feel of a drive, by the model of the actuator. Predicted,
// not measured.

public import BridgeLink
import CDRV2605Model

/// The acceleration of an actuator at every millisecond.
///
/// The model is `Firmware/model/actuator_model.h`, with its standard coins: an LRA of 1.5 g, an ERM of
/// 0.8 g. Resonance, overdrive and loop are those of the configuration.
public struct FeltAcceleration: Sendable {
    /// Peak acceleration of the vibration in g, one value a millisecond from time 0 on.
    public let samples: [Double]
    /// The acceleration that full level comes to, in g.
    public let rated: Double

    /// Microseconds between two samples.
    public static let step: BoardTime = 1_000

    /// - Parameters:
    ///   - drive: changes in order of time; what is before time 0 is the drive at its beginning.
    ///   - length: microseconds to predict.
    public init(
        of drive: [DriveChange], on configuration: ActuatorConfiguration, for length: BoardTime
    ) {
        var model = Self.model(of: configuration)
        rated =
            configuration.kind == .erm
            ? actuator_erm_coin_b1034.rated_acceleration_g
            : actuator_lra_coin_10mm.rated_acceleration_g
        var rest = drive.drop { $0.time <= 0 }
        var present = Int16(drive.last { $0.time <= 0 }?.drive ?? 0)
        samples = stride(from: BoardTime(0), to: length, by: Int(Self.step)).map { time in
            while let change = rest.first, change.time <= time {
                actuator_model_advance(&model, UInt64(change.time), present)
                present = Int16(change.drive)
                rest.removeFirst()
            }
            actuator_model_advance(&model, UInt64(time), present)
            return actuator_model_acceleration_g(&model)
        }
    }

    private static func model(of configuration: ActuatorConfiguration) -> actuator_model {
        var model = actuator_model()
        // 0x1D: LRA_OPEN_LOOP and ERM_OPEN_LOOP (SLOS854D 8.6.21). In an open loop full scale is the
        // clamp, and level_max the level that is rated.
        let isOpen = configuration.image[0x1D] & 0x21 != 0
        let fullScale = isOpen ? 255 / Double(configuration.levelMax) : 1
        if configuration.kind == .erm {
            var parameters = actuator_erm_coin_b1034
            parameters.full_scale_voltage_v = parameters.rated_voltage_v * fullScale
            actuator_model_init_erm(&model, &parameters)
        } else {
            var parameters = actuator_lra_coin_10mm
            parameters.resonance_hz = Double(configuration.resonance) / 10
            parameters.full_scale_ratio = fullScale
            parameters.clamp_ratio =
                Double(configuration.overdrive) / Double(configuration.rated)
            actuator_model_init_lra(&model, &parameters)
            model.closed_loop = !isOpen
        }
        return model
    }
}
