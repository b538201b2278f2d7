// ModelledActuator: a model of an actuator whose state can be read and set.

import CDRV2605Model
import Prediction

/// A model of an actuator whose state consists of one number.
struct ModelledActuator {
    private var model: actuator_model
    private let rated: Double

    init(_ model: actuator_model) {
        self.model = model
        rated = FeltAcceleration.rated(model)
    }

    /// The amplitude of an LRA or the speed of an ERM, where 1 is the rated value.
    var state: Double {
        get {
            model.kind == ACTUATOR_ERM
                ? model.speed_rad_s / model.parameters.erm.rated_speed_rad_s
                : model.amplitude_real
        }
        set {
            if model.kind == ACTUATOR_ERM {
                model.speed_rad_s = newValue * model.parameters.erm.rated_speed_rad_s
            } else {
                model.amplitude_real = newValue
            }
        }
    }

    /// The felt level, where 1 is the rated acceleration.
    var felt: Double {
        withUnsafePointer(to: model) { actuator_model_acceleration_g($0) } / rated
    }

    /// Simulates one millisecond under a drive.
    mutating func advance(under drive: Int) {
        actuator_model_advance(
            &model, model.now_us + UInt64(FeltAcceleration.step), Int16(drive))
    }
}
