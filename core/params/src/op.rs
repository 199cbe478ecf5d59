//! The operations over fields and curves.

/// Declare the operations: name, number, name in text, and what it works over.
macro_rules! operations {
    ($($name:ident = $number:literal, $text:literal, $domain:ident;)*) => {
        /// An operation, as far as support is concerned. The numbers are those of C and Go; none is ever reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // the names are those of the operations
        #[repr(i32)]
        pub enum Op {
            $($name = $number,)*
        }

        impl Op {
            /// Every operation.
            pub const ALL: &[Op] = &[$(Op::$name,)*];

            /// The name in text, such as `vector_binary`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Op::$name => $text,)*
                }
            }

            /// Whether it works over curves rather than fields.
            pub const fn takes_curves(self) -> bool {
                match self {
                    $(Op::$name => operations!(@ $domain),)*
                }
            }
        }
    };
    (@ Field) => { false };
    (@ Curve) => { true };
}

operations! {
    VectorBinary = 0, "vector_binary", Field;
    VectorMixedMul = 1, "vector_mixed_mul", Field;
    VectorScalar = 2, "vector_scalar", Field;
    VectorInv = 3, "vector_inv", Field;
    VectorReduce = 4, "vector_reduce", Field;
    ConvertMontgomery = 5, "convert_montgomery", Field;
    BitReverse = 6, "bit_reverse", Field;
    Slice = 7, "slice", Field;
    HighestNonZero = 8, "highest_non_zero", Field;
    PolynomialEvaluate = 9, "polynomial_evaluate", Field;
    PolynomialDivide = 10, "polynomial_divide", Field;
    MatrixTranspose = 11, "matrix_transpose", Field;
    MatrixMultiply = 12, "matrix_multiply", Field;
    Program = 13, "program", Field;
    Ntt = 14, "ntt", Field;
    EcNtt = 15, "ec_ntt", Curve;
    Msm = 16, "msm", Curve;
    PointConvertMontgomery = 17, "point_convert_montgomery", Curve;
    PointBinary = 18, "point_binary", Curve;
    PointScalarMul = 19, "point_scalar_mul", Curve;
    PointUnary = 20, "point_unary", Curve;
    PointEqual = 21, "point_equal", Curve;
}
