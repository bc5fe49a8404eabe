# Written by python -m tests.typing.stubs
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from minispore.core.tensor import Tensor
from minispore.core.autograd import GradOperation as GradOperation
from minispore.core.primitive import Primitive as Primitive
from minispore.ops import aliases as aliases
from minispore.ops import auto_generate as auto_generate  # type: ignore
from minispore.ops import composite as composite  # type: ignore
from minispore.ops import control as control
from minispore.ops import elementwise as elementwise
from minispore.ops import extended as extended
from minispore.ops import function as function  # type: ignore
from minispore.ops import functional as functional  # type: ignore
from minispore.ops import image as image
from minispore.ops import index as index
from minispore.ops import linalg as linalg
from minispore.ops import loss as loss
from minispore.ops import methods as methods
from minispore.ops import mnp as mnp
from minispore.ops import network as network
from minispore.ops import operations as operations  # type: ignore
from minispore.ops import optim as optim
from minispore.ops import primitive as primitive  # type: ignore
from minispore.ops import python_values as python_values
from minispore.ops import random as random
from minispore.ops import rare as rare
from minispore.ops import scipy as scipy
from minispore.ops import sparse as sparse
from minispore.ops import statistics as statistics
from minispore.ops import steps as steps
from minispore.ops import support as support
from minispore.ops import transformer as transformer
from minispore.ops import vocabulary as vocabulary
from minispore.ops.control.collective import AllGather as AllGather
from minispore.ops.control.collective import AllReduce as AllReduce
from minispore.ops.control.collective import AlltoAll as AlltoAll
from minispore.ops.control.collective import Barrier as Barrier
from minispore.ops.control.collective import Broadcast as Broadcast
from minispore.ops.control.collective import CollectiveGather as CollectiveGather
from minispore.ops.control.collective import CollectiveScatter as CollectiveScatter
from minispore.ops.control.collective import Receive as Receive
from minispore.ops.control.collective import Reduce as Reduce
from minispore.ops.control.collective import ReduceOp as ReduceOp
from minispore.ops.control.collective import ReduceScatter as ReduceScatter
from minispore.ops.control.collective import Send as Send
from minispore.ops.control.custom import Custom as Custom
from minispore.ops.control.custom import CustomOpBuilder as CustomOpBuilder
from minispore.ops.control.custom import CustomRegOp as CustomRegOp
from minispore.ops.control.custom import DataType as DataType
from minispore.ops.control.custom import custom_info_register as custom_info_register
from minispore.ops.control.effects import Assign as Assign
from minispore.ops.control.effects import AssignAdd as AssignAdd
from minispore.ops.control.effects import AssignSub as AssignSub
from minispore.ops.control.effects import ControlDepend as ControlDepend
from minispore.ops.control.effects import Depend as Depend
from minispore.ops.control.effects import GetNext as GetNext
from minispore.ops.control.effects import Load as Load
from minispore.ops.control.effects import Print as Print
from minispore.ops.control.elsewhere import Pull as Pull
from minispore.ops.control.elsewhere import Push as Push
from minispore.ops.control.hooks import DumpGradient as DumpGradient
from minispore.ops.control.hooks import HookBackward as HookBackward
from minispore.ops.control.hooks import InsertGradientOf as InsertGradientOf
from minispore.ops.control.hooks import PyFunc as PyFunc
from minispore.ops.control.hyper_map import HyperMap as HyperMap
from minispore.ops.control.hyper_map import Map as Map
from minispore.ops.control.hyper_map import MultitypeFuncGraph as MultitypeFuncGraph
from minispore.ops.control.hyper_map import Partial as Partial
from minispore.ops.control.loops import ForiLoop as ForiLoop
from minispore.ops.control.loops import Scan as Scan
from minispore.ops.control.loops import WhileLoop as WhileLoop
from minispore.ops.control.overflow import NPUAllocFloatStatus as NPUAllocFloatStatus
from minispore.ops.control.overflow import NPUClearFloatStatus as NPUClearFloatStatus
from minispore.ops.control.overflow import NPUGetFloatStatus as NPUGetFloatStatus
from minispore.ops.control.watch import CheckNumerics as CheckNumerics
from minispore.ops.control.watch import FloatStatus as FloatStatus
from minispore.ops.control.watch import HistogramSummary as HistogramSummary
from minispore.ops.control.watch import ImageSummary as ImageSummary
from minispore.ops.control.watch import ScalarSummary as ScalarSummary
from minispore.ops.control.watch import TensorDump as TensorDump
from minispore.ops.control.watch import TensorSummary as TensorSummary
from minispore.ops.elementwise.arithmetic import Add as Add
from minispore.ops.elementwise.arithmetic import Add as TensorAdd
from minispore.ops.elementwise.arithmetic import Div as Div
from minispore.ops.elementwise.arithmetic import DivNoNan as DivNoNan
from minispore.ops.elementwise.arithmetic import FloorDiv as FloorDiv
from minispore.ops.elementwise.arithmetic import FloorMod as FloorMod
from minispore.ops.elementwise.arithmetic import Mod as Mod
from minispore.ops.elementwise.arithmetic import Mul as Mul
from minispore.ops.elementwise.arithmetic import MulNoNan as MulNoNan
from minispore.ops.elementwise.arithmetic import RealDiv as RealDiv
from minispore.ops.elementwise.arithmetic import SquaredDifference as SquaredDifference
from minispore.ops.elementwise.arithmetic import Sub as Sub
from minispore.ops.elementwise.arithmetic import TruncateDiv as TruncateDiv
from minispore.ops.elementwise.arithmetic import TruncateMod as TruncateMod
from minispore.ops.elementwise.bases import ReduceToShape as ReduceToShape
from minispore.ops.elementwise.bessel import BesselI0 as BesselI0
from minispore.ops.elementwise.bessel import BesselI0e as BesselI0e
from minispore.ops.elementwise.bessel import BesselI1 as BesselI1
from minispore.ops.elementwise.bessel import BesselI1e as BesselI1e
from minispore.ops.elementwise.bessel import BesselJ0 as BesselJ0
from minispore.ops.elementwise.bessel import BesselJ1 as BesselJ1
from minispore.ops.elementwise.bessel import BesselK0 as BesselK0
from minispore.ops.elementwise.bessel import BesselK0e as BesselK0e
from minispore.ops.elementwise.bessel import BesselK1 as BesselK1
from minispore.ops.elementwise.bessel import BesselK1e as BesselK1e
from minispore.ops.elementwise.bessel import BesselY0 as BesselY0
from minispore.ops.elementwise.bessel import BesselY1 as BesselY1
from minispore.ops.elementwise.compare import Equal as Equal
from minispore.ops.elementwise.compare import Greater as Greater
from minispore.ops.elementwise.compare import GreaterEqual as GreaterEqual
from minispore.ops.elementwise.compare import IsFinite as IsFinite
from minispore.ops.elementwise.compare import IsInf as IsInf
from minispore.ops.elementwise.compare import IsNan as IsNan
from minispore.ops.elementwise.compare import Less as Less
from minispore.ops.elementwise.compare import LessEqual as LessEqual
from minispore.ops.elementwise.compare import LogicalAnd as LogicalAnd
from minispore.ops.elementwise.compare import LogicalNot as LogicalNot
from minispore.ops.elementwise.compare import LogicalOr as LogicalOr
from minispore.ops.elementwise.compare import LogicalXor as LogicalXor
from minispore.ops.elementwise.compare import NotEqual as NotEqual
from minispore.ops.elementwise.complex_numbers import Angle as Angle
from minispore.ops.elementwise.complex_numbers import Complex as Complex
from minispore.ops.elementwise.complex_numbers import ComplexAbs as ComplexAbs
from minispore.ops.elementwise.complex_numbers import Conj as Conj
from minispore.ops.elementwise.complex_numbers import Imag as Imag
from minispore.ops.elementwise.complex_numbers import Polar as Polar
from minispore.ops.elementwise.complex_numbers import Real as Real
from minispore.ops.elementwise.error_function import Erf as Erf
from minispore.ops.elementwise.error_function import Erfc as Erfc
from minispore.ops.elementwise.error_function import Erfinv as Erfinv
from minispore.ops.elementwise.exponential_activations import CeLU as CeLU
from minispore.ops.elementwise.exponential_activations import Elu as Elu
from minispore.ops.elementwise.exponential_activations import SeLU as SeLU
from minispore.ops.elementwise.extremes import ClampMax as ClampMax
from minispore.ops.elementwise.extremes import ClampMin as ClampMin
from minispore.ops.elementwise.extremes import Fmax as Fmax
from minispore.ops.elementwise.extremes import Fmin as Fmin
from minispore.ops.elementwise.extremes import Heaviside as Heaviside
from minispore.ops.elementwise.extremes import Maximum as Maximum
from minispore.ops.elementwise.extremes import MaximumGrad as MaximumGrad
from minispore.ops.elementwise.extremes import Minimum as Minimum
from minispore.ops.elementwise.extremes import NanToNum as NanToNum
from minispore.ops.elementwise.gated_activations import GLU as GLU
from minispore.ops.elementwise.incomplete_gamma import Betainc as Betainc
from minispore.ops.elementwise.incomplete_gamma import Igamma as Igamma
from minispore.ops.elementwise.incomplete_gamma import Igammac as Igammac
from minispore.ops.elementwise.integers import BitwiseAnd as BitwiseAnd
from minispore.ops.elementwise.integers import BitwiseOr as BitwiseOr
from minispore.ops.elementwise.integers import BitwiseXor as BitwiseXor
from minispore.ops.elementwise.integers import Gcd as Gcd
from minispore.ops.elementwise.integers import Invert as Invert
from minispore.ops.elementwise.integers import Lcm as Lcm
from minispore.ops.elementwise.integers import LeftShift as LeftShift
from minispore.ops.elementwise.integers import PopulationCount as PopulationCount
from minispore.ops.elementwise.integers import RightShift as RightShift
from minispore.ops.elementwise.nearness import ApproximateEqual as ApproximateEqual
from minispore.ops.elementwise.nearness import IsClose as IsClose
from minispore.ops.elementwise.piecewise_activations import HShrink as HShrink
from minispore.ops.elementwise.piecewise_activations import HSigmoid as HSigmoid
from minispore.ops.elementwise.piecewise_activations import HSwish as HSwish
from minispore.ops.elementwise.piecewise_activations import PReLU as PReLU
from minispore.ops.elementwise.piecewise_activations import ReLU as ReLU
from minispore.ops.elementwise.piecewise_activations import ReLU as ReLUV3
from minispore.ops.elementwise.piecewise_activations import ReLU6 as ReLU6
from minispore.ops.elementwise.piecewise_activations import Relu6Grad as Relu6Grad
from minispore.ops.elementwise.piecewise_activations import ReluGrad as ReluGrad
from minispore.ops.elementwise.piecewise_activations import SoftShrink as SoftShrink
from minispore.ops.elementwise.powers import Exp as Exp
from minispore.ops.elementwise.powers import Expm1 as Expm1
from minispore.ops.elementwise.powers import Log as Log
from minispore.ops.elementwise.powers import Log1p as Log1p
from minispore.ops.elementwise.powers import NonZero01 as NonZero01
from minispore.ops.elementwise.powers import Pow as Pow
from minispore.ops.elementwise.powers import Rsqrt as Rsqrt
from minispore.ops.elementwise.powers import Sqrt as Sqrt
from minispore.ops.elementwise.powers import Xdivy as Xdivy
from minispore.ops.elementwise.powers import Xlogy as Xlogy
from minispore.ops.elementwise.rounding import Abs as Abs
from minispore.ops.elementwise.rounding import Ceil as Ceil
from minispore.ops.elementwise.rounding import Floor as Floor
from minispore.ops.elementwise.rounding import Inv as Inv
from minispore.ops.elementwise.rounding import Neg as Neg
from minispore.ops.elementwise.rounding import Reciprocal as Reciprocal
from minispore.ops.elementwise.rounding import Rint as Rint
from minispore.ops.elementwise.rounding import Round as Round
from minispore.ops.elementwise.rounding import Sign as Sign
from minispore.ops.elementwise.rounding import Square as Square
from minispore.ops.elementwise.rounding import Trunc as Trunc
from minispore.ops.elementwise.smooth_activations import FastGeLU as FastGeLU
from minispore.ops.elementwise.smooth_activations import FastGeLU as FastGelu
from minispore.ops.elementwise.smooth_activations import GeLU as GeLU
from minispore.ops.elementwise.smooth_activations import GeLU as Gelu
from minispore.ops.elementwise.smooth_activations import Mish as Mish
from minispore.ops.elementwise.smooth_activations import SiLU as SiLU
from minispore.ops.elementwise.smooth_activations import Sigmoid as Sigmoid
from minispore.ops.elementwise.smooth_activations import SigmoidGrad as SigmoidGrad
from minispore.ops.elementwise.smooth_activations import Softplus as Softplus
from minispore.ops.elementwise.smooth_activations import Softsign as Softsign
from minispore.ops.elementwise.smooth_activations import Tanh as Tanh
from minispore.ops.elementwise.smooth_activations import TanhGrad as TanhGrad
from minispore.ops.elementwise.special import CopySign as CopySign
from minispore.ops.elementwise.special import Digamma as Digamma
from minispore.ops.elementwise.special import Lgamma as Lgamma
from minispore.ops.elementwise.special import Logit as Logit
from minispore.ops.elementwise.special import Mvlgamma as Mvlgamma
from minispore.ops.elementwise.special import NextAfter as NextAfter
from minispore.ops.elementwise.special import Polygamma as Polygamma
from minispore.ops.elementwise.special import Sinc as Sinc
from minispore.ops.elementwise.special import Zeta as Zeta
from minispore.ops.elementwise.trigonometric import ACos as ACos
from minispore.ops.elementwise.trigonometric import Acosh as Acosh
from minispore.ops.elementwise.trigonometric import Asin as Asin
from minispore.ops.elementwise.trigonometric import Asinh as Asinh
from minispore.ops.elementwise.trigonometric import Atan as Atan
from minispore.ops.elementwise.trigonometric import Atan2 as Atan2
from minispore.ops.elementwise.trigonometric import Atanh as Atanh
from minispore.ops.elementwise.trigonometric import Cos as Cos
from minispore.ops.elementwise.trigonometric import Cosh as Cosh
from minispore.ops.elementwise.trigonometric import Hypot as Hypot
from minispore.ops.elementwise.trigonometric import Sin as Sin
from minispore.ops.elementwise.trigonometric import Sinh as Sinh
from minispore.ops.elementwise.trigonometric import Tan as Tan
from minispore.ops.elementwise.weighted_sums import AccumulateNV2 as AccumulateNV2
from minispore.ops.elementwise.weighted_sums import AddN as AddN
from minispore.ops.elementwise.weighted_sums import Addcdiv as Addcdiv
from minispore.ops.elementwise.weighted_sums import Addcmul as Addcmul
from minispore.ops.elementwise.weighted_sums import Lerp as Lerp
from minispore.ops.elementwise.weighted_sums import LerpScalar as LerpScalar
from minispore.ops.image.color import AdjustHue as AdjustHue
from minispore.ops.image.color import AdjustSaturation as AdjustSaturation
from minispore.ops.image.color import HSVToRGB as HSVToRGB
from minispore.ops.image.color import RGBToHSV as RGBToHSV
from minispore.ops.image.deformable import DeformableOffsets as DeformableOffsets
from minispore.ops.image.detection import BoundingBoxDecode as BoundingBoxDecode
from minispore.ops.image.detection import BoundingBoxEncode as BoundingBoxEncode
from minispore.ops.image.detection import CheckValid as CheckValid
from minispore.ops.image.detection import IOU as IOU
from minispore.ops.image.detection import NMSWithMask as NMSWithMask
from minispore.ops.image.detection import NonMaxSuppressionV3 as NonMaxSuppressionV3
from minispore.ops.image.glimpse import ExtractGlimpse as ExtractGlimpse
from minispore.ops.image.glimpse import SampleDistortedBoundingBoxV2 as SampleDistortedBoundingBoxV2
from minispore.ops.image.glimpse import ScaleAndTranslate as ScaleAndTranslate
from minispore.ops.image.grid_sample import AffineGrid as AffineGrid
from minispore.ops.image.grid_sample import CropAndResize as CropAndResize
from minispore.ops.image.grid_sample import GridSampler2D as GridSampler2D
from minispore.ops.image.grid_sample import GridSampler3D as GridSampler3D
from minispore.ops.image.patches import Col2Im as Col2Im
from minispore.ops.image.patches import ExtractImagePatches as ExtractImagePatches
from minispore.ops.image.patches import ExtractVolumePatches as ExtractVolumePatches
from minispore.ops.image.patches import Im2Col as Im2Col
from minispore.ops.image.resize import ResizeArea as ResizeArea
from minispore.ops.image.resize import ResizeBicubic as ResizeBicubic
from minispore.ops.image.resize import ResizeBilinear as ResizeBilinear
from minispore.ops.image.resize import ResizeBilinearV2 as ResizeBilinearV2
from minispore.ops.image.resize import ResizeLinear1D as ResizeLinear1D
from minispore.ops.image.resize import ResizeNearestNeighbor as ResizeNearestNeighbor
from minispore.ops.image.resize import ResizeNearestNeighborV2 as ResizeNearestNeighborV2
from minispore.ops.image.resize import UpsampleNearest3D as UpsampleNearest3D
from minispore.ops.image.resize import UpsampleTrilinear3D as UpsampleTrilinear3D
from minispore.ops.image.roi_align import ROIAlign as ROIAlign
from minispore.ops.image.rotated import RotatedIou as RotatedIou
from minispore.ops.image.suppression import CombinedNonMaxSuppression as CombinedNonMaxSuppression
from minispore.ops.image.suppression import NonMaxSuppressionWithOverlaps as NonMaxSuppressionWithOverlaps
from minispore.ops.index.embedding import EmbeddingLookup as EmbeddingLookup
from minispore.ops.index.embedding import SparseGatherV2 as SparseGatherV2
from minispore.ops.index.embedding import SparseTensorDenseMatmul as SparseTensorDenseMatmul
from minispore.ops.index.embedding import SparseToDense as SparseToDense
from minispore.ops.index.gather import Gather as Gather
from minispore.ops.index.gather import Gather as GatherV2
from minispore.ops.index.gather import GatherD as GatherD
from minispore.ops.index.gather import GatherNd as GatherNd
from minispore.ops.index.gather import ScatterNd as ScatterNd
from minispore.ops.index.lookups import CompareAndBitpack as CompareAndBitpack
from minispore.ops.index.lookups import ComputeAccidentalHits as ComputeAccidentalHits
from minispore.ops.index.lookups import MapUniform as MapUniform
from minispore.ops.index.lookups import NoRepeatNGram as NoRepeatNGram
from minispore.ops.index.lookups import SubAndFilter as SubAndFilter
from minispore.ops.index.scatter import ScatterAddWithAxis as ScatterAddWithAxis
from minispore.ops.index.scatter import TensorScatterAdd as TensorScatterAdd
from minispore.ops.index.scatter import TensorScatterDiv as TensorScatterDiv
from minispore.ops.index.scatter import TensorScatterElements as TensorScatterElements
from minispore.ops.index.scatter import TensorScatterMax as TensorScatterMax
from minispore.ops.index.scatter import TensorScatterMin as TensorScatterMin
from minispore.ops.index.scatter import TensorScatterMul as TensorScatterMul
from minispore.ops.index.scatter import TensorScatterSub as TensorScatterSub
from minispore.ops.index.scatter import TensorScatterUpdate as TensorScatterUpdate
from minispore.ops.index.scatter_update import IndexAdd as IndexAdd
from minispore.ops.index.scatter_update import IndexAdd as InplaceIndexAdd
from minispore.ops.index.scatter_update import ScatterAdd as ScatterAdd
from minispore.ops.index.scatter_update import ScatterDiv as ScatterDiv
from minispore.ops.index.scatter_update import ScatterMax as ScatterMax
from minispore.ops.index.scatter_update import ScatterMin as ScatterMin
from minispore.ops.index.scatter_update import ScatterMul as ScatterMul
from minispore.ops.index.scatter_update import ScatterNdAdd as ScatterNdAdd
from minispore.ops.index.scatter_update import ScatterNdDiv as ScatterNdDiv
from minispore.ops.index.scatter_update import ScatterNdMax as ScatterNdMax
from minispore.ops.index.scatter_update import ScatterNdMin as ScatterNdMin
from minispore.ops.index.scatter_update import ScatterNdMul as ScatterNdMul
from minispore.ops.index.scatter_update import ScatterNdSub as ScatterNdSub
from minispore.ops.index.scatter_update import ScatterNdUpdate as ScatterNdUpdate
from minispore.ops.index.scatter_update import ScatterSub as ScatterSub
from minispore.ops.index.scatter_update import ScatterUpdate as ScatterUpdate
from minispore.ops.index.segment import SegmentMax as SegmentMax
from minispore.ops.index.segment import SegmentMean as SegmentMean
from minispore.ops.index.segment import SegmentMin as SegmentMin
from minispore.ops.index.segment import SegmentProd as SegmentProd
from minispore.ops.index.segment import SegmentSum as SegmentSum
from minispore.ops.index.segment import UnsortedSegmentMax as UnsortedSegmentMax
from minispore.ops.index.segment import UnsortedSegmentMin as UnsortedSegmentMin
from minispore.ops.index.segment import UnsortedSegmentProd as UnsortedSegmentProd
from minispore.ops.index.segment import UnsortedSegmentSum as UnsortedSegmentSum
from minispore.ops.index.select import MaskedFill as MaskedFill
from minispore.ops.index.select import MaskedSelect as MaskedSelect
from minispore.ops.index.select import OneHot as OneHot
from minispore.ops.index.select import Select as Select
from minispore.ops.index.slice_update import IndexFill as IndexFill
from minispore.ops.index.slice_update import IndexPut as IndexPut
from minispore.ops.index.slice_update import InplaceAdd as InplaceAdd
from minispore.ops.index.slice_update import InplaceSub as InplaceSub
from minispore.ops.index.slice_update import InplaceUpdate as InplaceUpdate
from minispore.ops.index.slice_update import InplaceUpdateV2 as InplaceUpdateV2
from minispore.ops.index.slice_update import MaskedScatter as MaskedScatter
from minispore.ops.index.strided import StridedSlice as StridedSlice
from minispore.ops.index.subscript import GetItem as GetItem
from minispore.ops.index.subscript import GetItemByMask as GetItemByMask
from minispore.ops.index.subscript import GetItemGrad as GetItemGrad
from minispore.ops.index.subscript import SetItem as SetItem
from minispore.ops.linalg.banded import MatrixDiagPartV3 as MatrixDiagPartV3
from minispore.ops.linalg.banded import MatrixDiagV3 as MatrixDiagV3
from minispore.ops.linalg.banded import MatrixSetDiagV3 as MatrixSetDiagV3
from minispore.ops.linalg.cholesky import Cholesky as Cholesky
from minispore.ops.linalg.cholesky import CholeskyInverse as CholeskyInverse
from minispore.ops.linalg.cholesky import CholeskySolve as CholeskySolve
from minispore.ops.linalg.decompositions import Eig as Eig
from minispore.ops.linalg.decompositions import Geqrf as Geqrf
from minispore.ops.linalg.decompositions import MatrixLogarithm as MatrixLogarithm
from minispore.ops.linalg.decompositions import NuclearNorm as NuclearNorm
from minispore.ops.linalg.decompositions import Orgqr as Orgqr
from minispore.ops.linalg.decompositions import Ormqr as Ormqr
from minispore.ops.linalg.decompositions import Qr as Qr
from minispore.ops.linalg.decompositions import Svd as Svd
from minispore.ops.linalg.diagonal import Diag as Diag
from minispore.ops.linalg.diagonal import DiagPart as DiagPart
from minispore.ops.linalg.diagonal import FillDiagonal as FillDiagonal
from minispore.ops.linalg.diagonal import MatrixBandPart as MatrixBandPart
from minispore.ops.linalg.diagonal import Trace as Trace
from minispore.ops.linalg.diagonal import Tril as Tril
from minispore.ops.linalg.diagonal import Triu as Triu
from minispore.ops.linalg.eigh import Eigh as Eigh
from minispore.ops.linalg.fourier import FFTWithSize as FFTWithSize
from minispore.ops.linalg.fourier import Fourier as Fourier
from minispore.ops.linalg.least_squares import Lstsq as Lstsq
from minispore.ops.linalg.least_squares import LuSolve as LuSolve
from minispore.ops.linalg.least_squares import LuUnpack as LuUnpack
from minispore.ops.linalg.least_squares import PivotRowOrder as PivotRowOrder
from minispore.ops.linalg.lu import Lu as Lu
from minispore.ops.linalg.matrix_powers import MatrixExp as MatrixExp
from minispore.ops.linalg.matrix_powers import MatrixPower as MatrixPower
from minispore.ops.linalg.products import BatchMatMul as BatchMatMul
from minispore.ops.linalg.products import Einsum as Einsum
from minispore.ops.linalg.products import MatMul as MatMul
from minispore.ops.linalg.products import MatMulExt as MatMulExt
from minispore.ops.linalg.solving import LogMatrixDeterminant as LogMatrixDeterminant
from minispore.ops.linalg.solving import MatrixDeterminant as MatrixDeterminant
from minispore.ops.linalg.solving import MatrixInverse as MatrixInverse
from minispore.ops.linalg.solving import MatrixSolve as MatrixSolve
from minispore.ops.linalg.solving import MatrixSolveLs as MatrixSolveLs
from minispore.ops.linalg.solving import MatrixTriangularSolve as MatrixTriangularSolve
from minispore.ops.linalg.solving import TridiagonalMatMul as TridiagonalMatMul
from minispore.ops.linalg.spectrogram import STFT as STFT
from minispore.ops.linalg.vector_norms import Cdist as Cdist
from minispore.ops.linalg.vector_norms import EuclideanNorm as EuclideanNorm
from minispore.ops.linalg.vector_norms import LpNorm as LpNorm
from minispore.ops.linalg.vector_norms import PNorm as PNorm
from minispore.ops.linalg.vector_norms import Pdist as Pdist
from minispore.ops.linalg.vector_norms import Renorm as Renorm
from minispore.ops.linalg.vector_norms import SquareSumAll as SquareSumAll
from minispore.ops.linalg.vector_products import Cross as Cross
from minispore.ops.linalg.vector_products import Dense as Dense
from minispore.ops.linalg.vector_products import Ger as Ger
from minispore.ops.linalg.windows import BartlettWindow as BartlettWindow
from minispore.ops.linalg.windows import BlackmanWindow as BlackmanWindow
from minispore.ops.linalg.windows import HammingWindow as HammingWindow
from minispore.ops.loss.binary_cross_entropy import BCEWithLogitsLoss as BCEWithLogitsLoss
from minispore.ops.loss.binary_cross_entropy import BinaryCrossEntropy as BinaryCrossEntropy
from minispore.ops.loss.binary_cross_entropy import SigmoidCrossEntropyWithLogits as SigmoidCrossEntropyWithLogits
from minispore.ops.loss.classes import NLLLoss as NLLLoss
from minispore.ops.loss.classes import NLLLossGrad as NLLLossGrad
from minispore.ops.loss.cross_entropy import SoftmaxCrossEntropyWithLogits as SoftmaxCrossEntropyWithLogits
from minispore.ops.loss.cross_entropy import SparseSoftmaxCrossEntropyWithLogits as SparseSoftmaxCrossEntropyWithLogits
from minispore.ops.loss.ctc import CTCGreedyDecoder as CTCGreedyDecoder
from minispore.ops.loss.ctc import CTCLoss as CTCLoss
from minispore.ops.loss.ctc import CTCLossV2 as CTCLossV2
from minispore.ops.loss.ctc import CTCLossV2Grad as CTCLossV2Grad
from minispore.ops.loss.margins import MultiMarginLoss as MultiMarginLoss
from minispore.ops.loss.margins import MultilabelMarginLoss as MultilabelMarginLoss
from minispore.ops.loss.margins import TripletMarginLoss as TripletMarginLoss
from minispore.ops.loss.pointwise import KLDivLoss as KLDivLoss
from minispore.ops.loss.pointwise import L2Loss as L2Loss
from minispore.ops.loss.pointwise import SmoothL1Loss as SmoothL1Loss
from minispore.ops.loss.pointwise import SoftMarginLoss as SoftMarginLoss
from minispore.ops.loss.transducer import EditDistance as EditDistance
from minispore.ops.loss.transducer import RNNTLoss as RNNTLoss
from minispore.ops.methods.inplace_functions import typeof as typeof
from minispore.ops.methods.sparse_functions import coo_add as coo_add
from minispore.ops.methods.sparse_functions import coo_concat as coo_concat
from minispore.ops.methods.sparse_functions import csr_add as csr_add
from minispore.ops.methods.sparse_functions import csr_div as csr_div
from minispore.ops.methods.sparse_functions import csr_mm as csr_mm
from minispore.ops.methods.sparse_functions import csr_mul as csr_mul
from minispore.ops.methods.sparse_functions import csr_mv as csr_mv
from minispore.ops.methods.sparse_functions import csr_reduce_sum as csr_reduce_sum
from minispore.ops.methods.sparse_functions import csr_softmax as csr_softmax
from minispore.ops.methods.sparse_functions import csr_to_coo as csr_to_coo
from minispore.ops.methods.sparse_functions import csr_to_dense as csr_to_dense
from minispore.ops.methods.sparse_values import coo_tensor_get_dense_shape as coo_tensor_get_dense_shape
from minispore.ops.methods.sparse_values import coo_tensor_get_indices as coo_tensor_get_indices
from minispore.ops.methods.sparse_values import coo_tensor_get_values as coo_tensor_get_values
from minispore.ops.methods.sparse_values import csr_tensor_get_dense_shape as csr_tensor_get_dense_shape
from minispore.ops.methods.sparse_values import csr_tensor_get_indices as csr_tensor_get_indices
from minispore.ops.methods.sparse_values import csr_tensor_get_indptr as csr_tensor_get_indptr
from minispore.ops.methods.sparse_values import csr_tensor_get_values as csr_tensor_get_values
from minispore.ops.methods.sparse_values import dense_to_sparse_coo as dense_to_sparse_coo
from minispore.ops.methods.sparse_values import dense_to_sparse_csr as dense_to_sparse_csr
from minispore.ops.network.adaptive_pool import AdaptiveAvgPool2D as AdaptiveAvgPool2D
from minispore.ops.network.adaptive_pool import AdaptiveAvgPool3D as AdaptiveAvgPool3D
from minispore.ops.network.adaptive_pool import AdaptiveMaxPool2D as AdaptiveMaxPool2D
from minispore.ops.network.adaptive_pool import AdaptiveMaxPool3D as AdaptiveMaxPool3D
from minispore.ops.network.attention import FlashAttentionScore as FlashAttentionScore
from minispore.ops.network.average_pool import AvgPool as AvgPool
from minispore.ops.network.average_pool import AvgPool3D as AvgPool3D
from minispore.ops.network.batch_norm import BatchNorm as BatchNorm
from minispore.ops.network.batch_norm import BatchNormGrad as BatchNormGrad
from minispore.ops.network.batch_norm import BatchNormInfer as BatchNormInfer
from minispore.ops.network.batch_norm import BatchNormTrain as BatchNormTrain
from minispore.ops.network.batch_norm import MovingAverage as MovingAverage
from minispore.ops.network.bias import BiasAdd as BiasAdd
from minispore.ops.network.bias import BiasAddGrad as BiasAddGrad
from minispore.ops.network.conv import Conv2D as Conv2D
from minispore.ops.network.conv import Conv2DBackpropFilter as Conv2DBackpropFilter
from minispore.ops.network.conv import Conv2DBackpropInput as Conv2DBackpropInput
from minispore.ops.network.conv import Conv2DTranspose as Conv2DTranspose
from minispore.ops.network.conv import Conv3D as Conv3D
from minispore.ops.network.conv import Conv3DBackpropFilter as Conv3DBackpropFilter
from minispore.ops.network.conv import Conv3DBackpropInput as Conv3DBackpropInput
from minispore.ops.network.conv_transpose import Conv3DTranspose as Conv3DTranspose
from minispore.ops.network.dilation import Dilation2D as Dilation2D
from minispore.ops.network.dropout import Dropout as Dropout
from minispore.ops.network.dropout import Dropout2D as Dropout2D
from minispore.ops.network.dropout import Dropout3D as Dropout3D
from minispore.ops.network.dropout import DropoutDoMask as DropoutDoMask
from minispore.ops.network.dropout import DropoutGenMask as DropoutGenMask
from minispore.ops.network.dropout import DropoutGrad as DropoutGrad
from minispore.ops.network.feature_norm import ChannelWindowSum as ChannelWindowSum
from minispore.ops.network.feature_norm import L2Normalize as L2Normalize
from minispore.ops.network.feature_norm import LRN as LRN
from minispore.ops.network.feature_norm import RmsNorm as RmsNorm
from minispore.ops.network.fractional_pool import FractionalMaxPool3DWithFixedKsize as FractionalMaxPool3DWithFixedKsize
from minispore.ops.network.fractional_pool import FractionalMaxPoolWithFixedKsize as FractionalMaxPoolWithFixedKsize
from minispore.ops.network.fractional_regions import FractionalAvgPool as FractionalAvgPool
from minispore.ops.network.fractional_regions import FractionalMaxPool as FractionalMaxPool
from minispore.ops.network.layer_norm import LayerNorm as LayerNorm
from minispore.ops.network.layer_norm import LayerNormGrad as LayerNormGrad
from minispore.ops.network.pool import MaxPool as MaxPool
from minispore.ops.network.pool import MaxPool3D as MaxPool3D
from minispore.ops.network.recurrent import DynamicGRUV2 as DynamicGRUV2
from minispore.ops.network.recurrent import DynamicRNN as DynamicRNN
from minispore.ops.network.recurrent import LSTM as LSTM
from minispore.ops.network.softmax import LogSoftmax as LogSoftmax
from minispore.ops.network.softmax import LogSoftmaxExt as LogSoftmaxExt
from minispore.ops.network.softmax import Softmax as Softmax
from minispore.ops.network.softmax import SoftmaxGrad as SoftmaxGrad
from minispore.ops.network.unpool import MaxPool3DWithArgmax as MaxPool3DWithArgmax
from minispore.ops.network.unpool import MaxPoolWithArgmax as MaxPoolWithArgmax
from minispore.ops.network.unpool import MaxPoolWithArgmaxV2 as MaxPoolWithArgmaxV2
from minispore.ops.network.unpool import MaxUnpool2D as MaxUnpool2D
from minispore.ops.network.unpool import MaxUnpool3D as MaxUnpool3D
from minispore.ops.optim.adafactor import FusedAdaFactor as FusedAdaFactor
from minispore.ops.optim.adafactor import FusedAdaFactorWithGlobalNorm as FusedAdaFactorWithGlobalNorm
from minispore.ops.optim.adam import Adam as Adam
from minispore.ops.optim.adam import AdamWeightDecay as AdamWeightDecay
from minispore.ops.optim.adaptive import AdamNoUpdateParam as AdamNoUpdateParam
from minispore.ops.optim.adaptive import ApplyAdaMax as ApplyAdaMax
from minispore.ops.optim.adaptive import ApplyAdadelta as ApplyAdadelta
from minispore.ops.optim.adaptive import ApplyAdagrad as ApplyAdagrad
from minispore.ops.optim.adaptive import ApplyAdagradDA as ApplyAdagradDA
from minispore.ops.optim.adaptive import ApplyAdagradV2 as ApplyAdagradV2
from minispore.ops.optim.adaptive import ApplyAdamWithAmsgrad as ApplyAdamWithAmsgrad
from minispore.ops.optim.adaptive import ApplyAdamWithAmsgradV2 as ApplyAdamWithAmsgradV2
from minispore.ops.optim.adaptive import ApplyCenteredRMSProp as ApplyCenteredRMSProp
from minispore.ops.optim.adaptive import ApplyRMSProp as ApplyRMSProp
from minispore.ops.optim.adaptive import FusedCastAdamWeightDecay as FusedCastAdamWeightDecay
from minispore.ops.optim.gradient import ApplyAddSign as ApplyAddSign
from minispore.ops.optim.gradient import ApplyFtrl as ApplyFtrl
from minispore.ops.optim.gradient import ApplyGradientDescent as ApplyGradientDescent
from minispore.ops.optim.gradient import ApplyKerasMomentum as ApplyKerasMomentum
from minispore.ops.optim.gradient import ApplyPowerSign as ApplyPowerSign
from minispore.ops.optim.gradient import ApplyProximalAdagrad as ApplyProximalAdagrad
from minispore.ops.optim.gradient import ApplyProximalGradientDescent as ApplyProximalGradientDescent
from minispore.ops.optim.gradient import FusedWeightScaleApplyMomentum as FusedWeightScaleApplyMomentum
from minispore.ops.optim.gradient import LARSUpdate as LARSUpdate
from minispore.ops.optim.momentum import ApplyMomentum as ApplyMomentum
from minispore.ops.optim.momentum import SGD as SGD
from minispore.ops.optim.sparse import FusedSparseAdam as FusedSparseAdam
from minispore.ops.optim.sparse import FusedSparseFtrl as FusedSparseFtrl
from minispore.ops.optim.sparse import FusedSparseLazyAdam as FusedSparseLazyAdam
from minispore.ops.optim.sparse import FusedSparseProximalAdagrad as FusedSparseProximalAdagrad
from minispore.ops.optim.sparse import SparseApplyAdadelta as SparseApplyAdadelta
from minispore.ops.optim.sparse import SparseApplyAdagrad as SparseApplyAdagrad
from minispore.ops.optim.sparse import SparseApplyAdagradV2 as SparseApplyAdagradV2
from minispore.ops.optim.sparse import SparseApplyFtrl as SparseApplyFtrl
from minispore.ops.optim.sparse import SparseApplyFtrlV2 as SparseApplyFtrlV2
from minispore.ops.optim.sparse import SparseApplyProximalAdagrad as SparseApplyProximalAdagrad
from minispore.ops.optim.sparse import SparseApplyRMSProp as SparseApplyRMSProp
from minispore.ops.random.candidates import LogUniformCandidateSampler as LogUniformCandidateSampler
from minispore.ops.random.candidates import UniformCandidateSampler as UniformCandidateSampler
from minispore.ops.random.distributions import Cauchy as Cauchy
from minispore.ops.random.distributions import Gamma as Gamma
from minispore.ops.random.distributions import LogNormalReverse as LogNormalReverse
from minispore.ops.random.distributions import NonDeterministicInts as NonDeterministicInts
from minispore.ops.random.distributions import ParameterizedTruncatedNormal as ParameterizedTruncatedNormal
from minispore.ops.random.distributions import Poisson as Poisson
from minispore.ops.random.distributions import RandomGamma as RandomGamma
from minispore.ops.random.distributions import RandomPoisson as RandomPoisson
from minispore.ops.random.distributions import TruncatedNormal as TruncatedNormal
from minispore.ops.random.draws import StandardLaplace as StandardLaplace
from minispore.ops.random.draws import StandardNormal as StandardNormal
from minispore.ops.random.draws import UniformInt as UniformInt
from minispore.ops.random.draws import UniformReal as UniformReal
from minispore.ops.random.sampling import Bernoulli as Bernoulli
from minispore.ops.random.sampling import Multinomial as Multinomial
from minispore.ops.random.sampling import MultinomialWithReplacement as MultinomialWithReplacement
from minispore.ops.random.sampling import RandomCategorical as RandomCategorical
from minispore.ops.random.sampling import RandomChoiceWithMask as RandomChoiceWithMask
from minispore.ops.random.sampling import RandomShuffle as RandomShuffle
from minispore.ops.random.sampling import Randperm as Randperm
from minispore.ops.random.sampling import RandpermV2 as RandpermV2
from minispore.ops.shape.cast_fill import Cast as Cast
from minispore.ops.shape.cast_fill import DType as DType
from minispore.ops.shape.cast_fill import Fill as Fill
from minispore.ops.shape.cast_fill import FillV2 as FillV2
from minispore.ops.shape.cast_fill import Identity as Identity
from minispore.ops.shape.cast_fill import Ones as Ones
from minispore.ops.shape.cast_fill import OnesLike as OnesLike
from minispore.ops.shape.cast_fill import Rank as Rank
from minispore.ops.shape.cast_fill import Shape as Shape
from minispore.ops.shape.cast_fill import Size as Size
from minispore.ops.shape.cast_fill import StopGradient as StopGradient
from minispore.ops.shape.cast_fill import Zeros as Zeros
from minispore.ops.shape.cast_fill import ZerosLike as ZerosLike
from minispore.ops.shape.cast_fill import dtype as dtype
from minispore.ops.shape.convert import DataFormatDimMap as DataFormatDimMap
from minispore.ops.shape.convert import InvertPermutation as InvertPermutation
from minispore.ops.shape.convert import ScalarCast as ScalarCast
from minispore.ops.shape.convert import ScalarToArray as ScalarToArray
from minispore.ops.shape.convert import ScalarToTensor as ScalarToTensor
from minispore.ops.shape.convert import TensorShape as DynamicShape
from minispore.ops.shape.convert import TensorShape as TensorShape
from minispore.ops.shape.convert import TensorToTuple as TensorToTuple
from minispore.ops.shape.convert import TupleToArray as TupleToArray
from minispore.ops.shape.create import Eye as Eye
from minispore.ops.shape.create import LinSpace as LinSpace
from minispore.ops.shape.create import LogSpace as LogSpace
from minispore.ops.shape.create import Meshgrid as Meshgrid
from minispore.ops.shape.create import Range as Range
from minispore.ops.shape.create import TrilIndices as TrilIndices
from minispore.ops.shape.create import TriuIndices as TriuIndices
from minispore.ops.shape.formats import ConjugateTranspose as ConjugateTranspose
from minispore.ops.shape.formats import DataFormatVecPermute as DataFormatVecPermute
from minispore.ops.shape.formats import Expand as Expand
from minispore.ops.shape.formats import Fills as Fills
from minispore.ops.shape.join import Concat as Concat
from minispore.ops.shape.join import Pad as Pad
from minispore.ops.shape.join import Slice as Slice
from minispore.ops.shape.join import Stack as Pack
from minispore.ops.shape.join import Stack as Stack
from minispore.ops.shape.pad import MirrorPad as MirrorPad
from minispore.ops.shape.pad import PadV3 as PadV3
from minispore.ops.shape.pad import Padding as Padding
from minispore.ops.shape.reordering import ReverseSequence as ReverseSequence
from minispore.ops.shape.reordering import ReverseV2 as ReverseV2
from minispore.ops.shape.reordering import Roll as Roll
from minispore.ops.shape.space_depth import BatchToSpace as BatchToSpace
from minispore.ops.shape.space_depth import BatchToSpaceND as BatchToSpaceND
from minispore.ops.shape.space_depth import BatchToSpaceND as BatchToSpaceNDV2
from minispore.ops.shape.space_depth import ChannelShuffle as ChannelShuffle
from minispore.ops.shape.space_depth import DepthToSpace as DepthToSpace
from minispore.ops.shape.space_depth import SpaceToBatch as SpaceToBatch
from minispore.ops.shape.space_depth import SpaceToBatchND as SpaceToBatchND
from minispore.ops.shape.space_depth import SpaceToDepth as SpaceToDepth
from minispore.ops.shape.split import Split as Split
from minispore.ops.shape.split import SplitV as SplitV
from minispore.ops.shape.split import Unstack as Unpack
from minispore.ops.shape.split import Unstack as Unstack
from minispore.ops.shape.stacking import Eps as Eps
from minispore.ops.shape.stacking import IdentityN as IdentityN
from minispore.ops.shape.stacking import ParallelConcat as ParallelConcat
from minispore.ops.shape.stacking import UnravelIndex as UnravelIndex
from minispore.ops.shape.views import BroadcastTo as BroadcastTo
from minispore.ops.shape.views import ExpandDims as ExpandDims
from minispore.ops.shape.views import Flatten as Flatten
from minispore.ops.shape.views import Reshape as Reshape
from minispore.ops.shape.views import Squeeze as Squeeze
from minispore.ops.shape.views import Tile as Tile
from minispore.ops.shape.views import Transpose as Transpose
from minispore.ops.shape.views import Transpose as TransposeView
from minispore.ops.sparse.coordinates import Coalesce as Coalesce
from minispore.ops.sparse.coordinates import SparseSlice as SparseSlice
from minispore.ops.sparse.ragged import RaggedRange as RaggedRange
from minispore.ops.sparse.sets import DenseToDenseSetOperation as DenseToDenseSetOperation
from minispore.ops.sparse.sets import DenseToSparseSetOperation as DenseToSparseSetOperation
from minispore.ops.sparse.sums import SparseTensorDenseAdd as SparseTensorDenseAdd
from minispore.ops.statistics.argmax import ArgMaxWithValue as ArgMaxWithValue
from minispore.ops.statistics.argmax import ArgMinWithValue as ArgMinWithValue
from minispore.ops.statistics.argmax import Argmax as Argmax
from minispore.ops.statistics.argmax import Argmin as Argmin
from minispore.ops.statistics.argmax import PutAlongAxis as PutAlongAxis
from minispore.ops.statistics.counting import Bincount as Bincount
from minispore.ops.statistics.counting import ConfusionMatrix as ConfusionMatrix
from minispore.ops.statistics.counting import EqualCount as EqualCount
from minispore.ops.statistics.counting import Histogram as Histogram
from minispore.ops.statistics.counting import HistogramFixedWidth as HistogramFixedWidth
from minispore.ops.statistics.counting import ListDiff as ListDiff
from minispore.ops.statistics.counting import NonZero as NonZero
from minispore.ops.statistics.counting import Unique as Unique
from minispore.ops.statistics.counting import UniqueConsecutive as UniqueConsecutive
from minispore.ops.statistics.counting import UniqueWithPad as UniqueWithPad
from minispore.ops.statistics.deviations import CountNonZero as CountNonZero
from minispore.ops.statistics.deviations import ReduceStd as ReduceStd
from minispore.ops.statistics.quantiles import Median as Median
from minispore.ops.statistics.quantiles import NthElement as NthElement
from minispore.ops.statistics.quantiles import Quantile as Quantile
from minispore.ops.statistics.reduce import ReduceMax as ReduceMax
from minispore.ops.statistics.reduce import ReduceMean as ReduceMean
from minispore.ops.statistics.reduce import ReduceMin as ReduceMin
from minispore.ops.statistics.reduce import ReduceProd as ReduceProd
from minispore.ops.statistics.reduce import ReduceSum as ReduceSum
from minispore.ops.statistics.scan import CumProd as CumProd
from minispore.ops.statistics.scan import CumSum as CumSum
from minispore.ops.statistics.scan import Cummax as Cummax
from minispore.ops.statistics.scan import Cummin as Cummin
from minispore.ops.statistics.scan import CumulativeLogsumexp as CumulativeLogsumexp
from minispore.ops.statistics.scan import WeightedScan as WeightedScan
from minispore.ops.statistics.sort import Bucketize as Bucketize
from minispore.ops.statistics.sort import InTopK as InTopK
from minispore.ops.statistics.sort import LowerBound as LowerBound
from minispore.ops.statistics.sort import SearchSorted as SearchSorted
from minispore.ops.statistics.sort import Sort as Sort
from minispore.ops.statistics.sort import TopK as TopK
from minispore.ops.statistics.sort import UpperBound as UpperBound
from minispore.ops.statistics.truth import ReduceAll as ReduceAll
from minispore.ops.statistics.truth import ReduceAny as ReduceAny
from minispore.ops.support.deprecated import DepthwiseConv2dNative as DepthwiseConv2dNative
from minispore.ops.support.described import PrimitiveWithCheck as PrimitiveWithCheck
from minispore.ops.support.described import PrimitiveWithInfer as PrimitiveWithInfer
from minispore.ops.transformer.caches import KVCacheScatterUpdate as KVCacheScatterUpdate
from minispore.ops.transformer.caches import ReshapeAndCache as ReshapeAndCache
from minispore.ops.transformer.fused_inference import FusedInferAttentionScore as FusedInferAttentionScore
from minispore.ops.transformer.gating import GroupTopk as GroupTopk
from minispore.ops.transformer.increment import IncreFlashAttention as IncreFlashAttention
from minispore.ops.transformer.paged import PagedAttention as PagedAttention
from minispore.ops.transformer.paged import PagedAttentionMask as PagedAttentionMask
from minispore.ops.transformer.positions import ApplyRotaryPosEmb as ApplyRotaryPosEmb
from minispore.ops.transformer.prompt import PromptFlashAttention as PromptFlashAttention

def abs(input: Tensor) -> Tensor: ...
def absolute(input: Tensor) -> Tensor: ...
def accumulate_n(x: Any) -> Tensor: ...
def acos(input: Tensor) -> Tensor: ...
def acosh(input: Tensor) -> Tensor: ...
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor: ...
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor: ...
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor: ...
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> Tensor: ...
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = ...) -> Any: ...
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = ...) -> Any: ...
def add(input: Any, other: Any) -> Tensor: ...
def add_flags(fn: Callable[..., Any] | None = ..., **flags: Any) -> Any: ...
def add_layer_norm(x1: Tensor, x2: Tensor, gamma: Tensor, beta: Tensor, epsilon: float = ..., additional_output: bool = ...) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
def add_rms_norm(x1: Tensor, x2: Tensor, gamma: Tensor, epsilon: float = ...) -> tuple[Tensor, Tensor, Tensor]: ...
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = ..., alpha: Any = ...) -> Tensor: ...
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any = ...) -> Tensor: ...
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any = ...) -> Tensor: ...
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = ..., alpha: float = ...) -> Tensor: ...
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = ..., alpha: Any = ...) -> Tensor: ...
def addn(x: Any) -> Tensor: ...
def addr(x: Tensor, vec1: Tensor, vec2: Tensor, beta: Any = ..., alpha: Any = ...) -> Tensor: ...
def adjoint(x: Tensor) -> Tensor: ...
def affine_grid(theta: Tensor, size: Any, align_corners: bool = ...) -> Tensor: ...
def all(input: Tensor, axis: Any = ..., keep_dims: bool = ...) -> Tensor: ...
def amax(input: Tensor, axis: Any = ..., keepdims: bool = ..., *, initial: Any = ..., where: Any = ...) -> Tensor: ...
def amin(input: Tensor, axis: Any = ..., keepdims: bool = ..., *, initial: Any = ..., where: Any = ...) -> Tensor: ...
def aminmax(input: Tensor, *, axis: Any = ..., keepdims: bool = ...) -> tuple[Tensor, Tensor]: ...
def angle(input: Tensor) -> Tensor: ...
def any(input: Tensor, axis: Any = ..., keep_dims: bool = ...) -> Tensor: ...
def approximate_equal(x: Tensor, y: Any, tolerance: float = ...) -> Tensor: ...
def arange(start: Any = ..., end: Any = ..., step: Any = ..., *, dtype: Any = ...) -> Tensor: ...
def arccos(input: Tensor) -> Tensor: ...
def arccosh(input: Tensor) -> Tensor: ...
def arcsin(x: Tensor) -> Tensor: ...
def arcsinh(input: Tensor) -> Tensor: ...
def arctan(input: Tensor) -> Tensor: ...
def arctan2(input: Any, other: Any) -> Tensor: ...
def arctanh(input: Tensor) -> Tensor: ...
def argmax(input: Tensor, dim: int | None = ..., keepdim: bool = ...) -> Tensor: ...
def argmax_with_value(x: Tensor, axis: int | None = ..., keep_dims: bool = ...) -> tuple[Tensor, Tensor]: ...
def argmin(input: Tensor, axis: int | None = ..., keepdims: bool = ...) -> Tensor: ...
def argmin_with_value(x: Tensor, axis: int | None = ..., keep_dims: bool = ...) -> tuple[Tensor, Tensor]: ...
def argsort(input: Tensor, axis: int = ..., descending: bool = ..., stable: bool = ...) -> Tensor: ...
def argwhere(input: Tensor) -> Tensor: ...
def asin(input: Tensor) -> Tensor: ...
def asinh(input: Tensor) -> Tensor: ...
def assign(variable: Any, value: Any) -> Any: ...
def assign_add(variable: Any, value: Any) -> Any: ...
def assign_sub(variable: Any, value: Any) -> Any: ...
def atan(input: Tensor) -> Tensor: ...
def atan2(input: Any, other: Any) -> Tensor: ...
def atanh(input: Tensor) -> Tensor: ...
def atleast_1d(inputs: Any) -> Any: ...
def atleast_2d(inputs: Any) -> Any: ...
def atleast_3d(inputs: Any) -> Any: ...
def avg_pool1d(input_x: Tensor, kernel_size: int = ..., stride: int = ..., padding: Any = ..., ceil_mode: bool = ..., count_include_pad: bool = ...) -> Tensor: ...
def avg_pool2d(x: Tensor, kernel_size: Any = ..., stride: Any = ..., padding: Any = ..., ceil_mode: bool = ..., count_include_pad: bool = ..., divisor_override: int = ...) -> Tensor: ...
def avg_pool3d(input_x: Tensor, kernel_size: Any = ..., stride: Any = ..., padding: Any = ..., ceil_mode: bool = ..., count_include_pad: bool = ..., divisor_override: int = ...) -> Tensor: ...
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, beta: float = ..., alpha: float = ...) -> Tensor: ...
def bartlett_window(window_length: Any, periodic: bool = ..., *, dtype: Any = ...) -> Tensor: ...
def batch_dot(x1: Tensor, x2: Tensor, axes: Any = ...) -> Tensor: ...
def batch_norm(input_x: Tensor, running_mean: Tensor, running_var: Tensor, weight: Tensor, bias: Tensor, training: bool = ..., momentum: float = ..., eps: float = ...) -> Tensor: ...
def batch_to_space_nd(input_x: Tensor, block_shape: Any, crops: Any) -> Tensor: ...
def bernoulli(input: Tensor, p: Any = ..., seed: int | None = ...) -> Tensor: ...
def bernoulli_(input: Tensor, p: Any = ..., *, generator: Any = ...) -> Tensor: ...
def bessel_i0(x: Tensor) -> Tensor: ...
def bessel_i0e(x: Tensor) -> Tensor: ...
def bessel_i1(x: Tensor) -> Tensor: ...
def bessel_i1e(x: Tensor) -> Tensor: ...
def bessel_j0(x: Tensor) -> Tensor: ...
def bessel_j1(x: Tensor) -> Tensor: ...
def bessel_k0(x: Tensor) -> Tensor: ...
def bessel_k0e(x: Tensor) -> Tensor: ...
def bessel_k1(x: Tensor) -> Tensor: ...
def bessel_k1e(x: Tensor) -> Tensor: ...
def bessel_y0(x: Tensor) -> Tensor: ...
def bessel_y1(x: Tensor) -> Tensor: ...
def bias_add(input_x: Tensor, bias: Tensor) -> Tensor: ...
def bidense(input1: Tensor, input2: Tensor, weight: Tensor, bias: Any = ...) -> Tensor: ...
def binary_cross_entropy(logits: Tensor, labels: Tensor, weight: Any = ..., reduction: str = ...) -> Tensor: ...
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Any = ..., pos_weight: Any = ..., reduction: str = ...) -> Tensor: ...
def bincount(input: Tensor, weights: Tensor | None = ..., minlength: int = ...) -> Tensor: ...
def bitwise_and(input: Any, other: Any) -> Tensor: ...
def bitwise_left_shift(input: Any, other: Any) -> Tensor: ...
def bitwise_not(input: Tensor) -> Tensor: ...
def bitwise_or(input: Any, other: Any) -> Tensor: ...
def bitwise_right_shift(input: Any, other: Any) -> Tensor: ...
def bitwise_xor(input: Any, other: Any) -> Tensor: ...
def blackman_window(window_length: Any, periodic: bool = ..., *, dtype: Any = ...) -> Tensor: ...
def block_diag(*inputs: Tensor) -> Tensor: ...
def bmm(input_x: Tensor, mat2: Tensor) -> Tensor: ...
def bounding_box_decode(anchor_box: Tensor, deltas: Tensor, max_shape: Any, means: Any = ..., stds: Any = ..., wh_ratio_clip: float = ...) -> Tensor: ...
def bounding_box_encode(anchor_box: Tensor, groundtruth_box: Tensor, means: Any = ..., stds: Any = ...) -> Tensor: ...
def broadcast_to(input: Tensor, shape: Any) -> Tensor: ...
def bucketize(input: Tensor, boundaries: Any, *, right: bool = ...) -> Tensor: ...
def cartesian_prod(*inputs: Tensor) -> Tensor: ...
def cast(input: Any, dtype: Any) -> Tensor: ...
def cat(tensors: Any, axis: int = ...) -> Tensor: ...
def cdist(x1: Tensor, x2: Tensor, p: float = ...) -> Tensor: ...
def ceil(input: Tensor) -> Tensor: ...
def celu(x: Tensor, alpha: float = ...) -> Tensor: ...
def channel_shuffle(x: Tensor, groups: int) -> Tensor: ...
def check_valid(bboxes: Tensor, img_metas: Tensor) -> Tensor: ...
def choice_with_mask(input_x: Tensor, count: int = ..., seed: int | None = ...) -> tuple[Tensor, Tensor]: ...
def cholesky(input_x: Tensor, upper: bool = ...) -> Tensor: ...
def cholesky_inverse(input_x: Tensor, upper: bool = ...) -> Tensor: ...
def cholesky_solve(input: Tensor, input2: Tensor, upper: bool = ...) -> Tensor: ...
def chunk(input: Tensor, chunks: int, axis: int = ...) -> tuple[Tensor, ...]: ...
def clamp(input: Tensor, min: Any = ..., max: Any = ...) -> Tensor: ...
def clamp_(input: Tensor, min: Any = ..., max: Any = ...) -> Tensor: ...
def clip(input: Tensor, min: Any = ..., max: Any = ...) -> Tensor: ...
def clip_by_global_norm(x: Any, clip_norm: float = ..., use_norm: Any = ...) -> Any: ...
def clip_by_norm(x: Any, max_norm: float, norm_type: float = ..., error_if_nonfinite: bool = ...) -> Any: ...
def clip_by_value(x: Any, clip_value_min: Any = ..., clip_value_max: Any = ...) -> Any: ...
def coalesce(x_indices: Tensor, x_values: Tensor, x_shape: Tensor) -> Any: ...
def col2im(input_x: Tensor, output_size: Any, kernel_size: Any, dilation: Any, padding_value: Any, stride: Any) -> Tensor: ...
def column_stack(tensors: Any) -> Tensor: ...
def combinations(input: Tensor, r: int = ..., with_replacement: bool = ...) -> Tensor: ...
def concat(tensors: Any, axis: int = ...) -> Tensor: ...
def concatenate(tensors: Any, axis: int = ...) -> Tensor: ...
def cond(A: Tensor, p: Any = ...) -> Tensor: ...
def conj(input: Tensor) -> Tensor: ...
def constexpr(fn: Callable[..., Any] | None = ..., get_instance: bool = ..., name: str | None = ..., reuse_result: bool = ..., check: bool = ...) -> Any: ...
def control_depend(value: Any, expr: Any) -> Any: ...
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: int | tuple[int] = ..., pad_mode: str = ..., padding: int | tuple[int] = ..., dilation: int | tuple[int] = ..., groups: int = ...) -> Tensor: ...
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: Any = ..., pad_mode: str = ..., padding: Any = ..., dilation: Any = ..., groups: int = ...) -> Tensor: ...
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: Any = ..., pad_mode: str = ..., padding: Any = ..., dilation: Any = ..., groups: int = ...) -> Tensor: ...
def conv3d_transpose(inputs: Tensor, weight: Tensor, pad_mode: str = ..., padding: Any = ..., stride: Any = ..., dilation: Any = ..., group: int = ..., output_padding: Any = ...) -> Tensor: ...
def coo2csr(row_indices: Tensor, height: int) -> Tensor: ...
def coo_abs(x: Any) -> Any: ...
def coo_acos(x: Any) -> Any: ...
def coo_acosh(x: Any) -> Any: ...
def coo_asin(x: Any) -> Any: ...
def coo_asinh(x: Any) -> Any: ...
def coo_atan(x: Any) -> Any: ...
def coo_atanh(x: Any) -> Any: ...
def coo_ceil(x: Any) -> Any: ...
def coo_cos(x: Any) -> Any: ...
def coo_cosh(x: Any) -> Any: ...
def coo_exp(x: Any) -> Any: ...
def coo_expm1(x: Any) -> Any: ...
def coo_floor(x: Any) -> Any: ...
def coo_inv(x: Any) -> Any: ...
def coo_isfinite(x: Any) -> Any: ...
def coo_isinf(x: Any) -> Any: ...
def coo_isnan(x: Any) -> Any: ...
def coo_log(x: Any) -> Any: ...
def coo_log1p(x: Any) -> Any: ...
def coo_neg(x: Any) -> Any: ...
def coo_relu(x: Any) -> Any: ...
def coo_relu6(x: Any) -> Any: ...
def coo_round(x: Any) -> Any: ...
def coo_sigmoid(x: Any) -> Any: ...
def coo_sin(x: Any) -> Any: ...
def coo_sinh(x: Any) -> Any: ...
def coo_softsign(x: Any) -> Any: ...
def coo_sqrt(x: Any) -> Any: ...
def coo_square(x: Any) -> Any: ...
def coo_tan(x: Any) -> Any: ...
def coo_tanh(x: Any) -> Any: ...
def copysign(x: Any, other: Any) -> Tensor: ...
def core(fn: Callable[..., Any] | None = ..., **flags: Any) -> Any: ...
def cos(input: Tensor) -> Tensor: ...
def cosh(input: Tensor) -> Tensor: ...
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = ..., reduction: str = ...) -> Tensor: ...
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = ..., eps: float = ...) -> Tensor: ...
def count_nonzero(x: Tensor, axis: Any = ..., keep_dims: bool = ..., dtype: Any = ...) -> Tensor: ...
def cov(input: Tensor, *, correction: int = ..., fweights: Any = ..., aweights: Any = ...) -> Tensor: ...
def crop_and_resize(image: Tensor, boxes: Tensor, box_indices: Tensor, crop_size: Any, method: str = ..., extrapolation_value: float = ...) -> Tensor: ...
def cross(input: Tensor, other: Tensor, dim: int | None = ...) -> Tensor: ...
def cross_entropy(input: Tensor, target: Tensor, weight: Any = ..., ignore_index: int = ..., reduction: str = ..., label_smoothing: float = ...) -> Tensor: ...
def csr2coo(indptr: Tensor, nnz: int) -> Tensor: ...
def csr_abs(x: Any) -> Any: ...
def csr_acos(x: Any) -> Any: ...
def csr_acosh(x: Any) -> Any: ...
def csr_asin(x: Any) -> Any: ...
def csr_asinh(x: Any) -> Any: ...
def csr_atan(x: Any) -> Any: ...
def csr_atanh(x: Any) -> Any: ...
def csr_ceil(x: Any) -> Any: ...
def csr_cos(x: Any) -> Any: ...
def csr_cosh(x: Any) -> Any: ...
def csr_exp(x: Any) -> Any: ...
def csr_expm1(x: Any) -> Any: ...
def csr_floor(x: Any) -> Any: ...
def csr_gather(indptr: Tensor, indices: Tensor, dense: Tensor, sparse_shape: Any) -> Tensor: ...
def csr_inv(x: Any) -> Any: ...
def csr_isfinite(x: Any) -> Any: ...
def csr_isinf(x: Any) -> Any: ...
def csr_isnan(x: Any) -> Any: ...
def csr_log(x: Any) -> Any: ...
def csr_log1p(x: Any) -> Any: ...
def csr_neg(x: Any) -> Any: ...
def csr_relu(x: Any) -> Any: ...
def csr_relu6(x: Any) -> Any: ...
def csr_round(x: Any) -> Any: ...
def csr_sigmoid(x: Any) -> Any: ...
def csr_sin(x: Any) -> Any: ...
def csr_sinh(x: Any) -> Any: ...
def csr_softsign(x: Any) -> Any: ...
def csr_sqrt(x: Any) -> Any: ...
def csr_square(x: Any) -> Any: ...
def csr_tan(x: Any) -> Any: ...
def csr_tanh(x: Any) -> Any: ...
def ctc_greedy_decoder(inputs: Tensor, sequence_length: Tensor, merge_repeated: bool = ...) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = ..., reduction: str = ..., zero_infinity: bool = ...) -> tuple[Tensor, Tensor]: ...
def cummax(input: Tensor, axis: int) -> tuple[Tensor, Tensor]: ...
def cummin(input: Tensor, axis: int) -> tuple[Tensor, Tensor]: ...
def cumprod(input: Tensor, dim: int, dtype: Any = ...) -> Tensor: ...
def cumsum(x: Tensor, axis: int, dtype: Any = ...) -> Tensor: ...
def deepcopy(input_x: Tensor) -> Tensor: ...
def deformable_conv2d(x: Tensor, weight: Tensor, offsets: Tensor, kernel_size: tuple[int, int], strides: tuple[int, ...], padding: tuple[int, ...], bias: Tensor | None = ..., dilations: tuple[int, ...] = ..., groups: int = ..., deformable_groups: int = ..., modulated: bool = ...) -> Tensor: ...
def deg2rad(x: Tensor) -> Tensor: ...
def dense(input: Tensor, weight: Tensor, bias: Any = ...) -> Tensor: ...
def depend(value: Any, expr: Any) -> Any: ...
def derivative(fn: Callable[..., Any], primals: Any, order: int) -> tuple[Any, Any]: ...
def det(input: Tensor) -> Tensor: ...
def diag(input: Tensor) -> Tensor: ...
def diag_embed(input: Tensor, offset: int = ..., dim1: int = ..., dim2: int = ...) -> Tensor: ...
def diagflat(input: Tensor, offset: int = ...) -> Tensor: ...
def diagonal(input: Tensor, offset: int = ..., dim1: int = ..., dim2: int = ...) -> Tensor: ...
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = ..., dim1: int = ..., dim2: int = ...) -> Tensor: ...
def diff(x: Tensor, n: int = ..., axis: int = ..., prepend: Tensor | None = ..., append: Tensor | None = ...) -> Tensor: ...
def digamma(input: Tensor) -> Tensor: ...
def dist(input: Tensor, other: Tensor, p: float = ...) -> Tensor: ...
def div(input: Any, other: Any, *, rounding_mode: str | None = ...) -> Tensor: ...
def divide(input: Any, other: Any, *, rounding_mode: str | None = ...) -> Tensor: ...
def dot(input: Tensor, other: Tensor) -> Tensor: ...
def dropout(input: Tensor, p: float = ..., training: bool = ..., seed: int | None = ...) -> Tensor: ...
def dropout1d(input: Tensor, p: float = ..., training: bool = ...) -> Tensor: ...
def dropout2d(input: Tensor, p: float = ..., training: bool = ...) -> Tensor: ...
def dropout3d(input: Tensor, p: float = ..., training: bool = ...) -> Tensor: ...
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]: ...
def dstack(tensors: Any) -> Tensor: ...
def dyn_shape(input_x: Tensor) -> Tensor: ...
def eig(A: Tensor) -> tuple[Tensor, Tensor]: ...
def eigvals(A: Tensor) -> Tensor: ...
def einsum(equation: str, *operands: Any) -> Tensor: ...
def elu(input_x: Tensor, alpha: float = ...) -> Tensor: ...
def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = ..., max_norm: float | None = ..., norm_type: float = ..., scale_grad_by_freq: bool = ...) -> Tensor: ...
def eps(x: Tensor) -> Tensor: ...
def eq(input: Any, other: Any) -> Tensor: ...
def equal(input: Any, other: Any) -> Tensor: ...
def erf(input: Tensor) -> Tensor: ...
def erfc(input: Tensor) -> Tensor: ...
def erfinv(input: Tensor) -> Tensor: ...
def erfinv_(input: Tensor) -> Tensor: ...
def exp(input: Tensor) -> Tensor: ...
def exp2(input: Tensor) -> Tensor: ...
def expand(input: Tensor, shape: Any) -> Tensor: ...
def expand_as(input: Tensor, other: Tensor) -> Tensor: ...
def expand_dims(input_x: Tensor, axis: int) -> Tensor: ...
def expm1(input: Tensor) -> Tensor: ...
def exponential_(input: Tensor, lambd: float = ..., *, generator: Any = ...) -> Tensor: ...
def eye(n: int, m: int | None = ..., dtype: Any = ...) -> Tensor: ...
def fast_gelu(x: Tensor) -> Tensor: ...
def fft(input: Tensor, n: int | None = ..., dim: int = ..., norm: str | None = ...) -> Tensor: ...
def fft2(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor: ...
def fftfreq(n: int, d: float = ..., dtype: Any = ...) -> Tensor: ...
def fftn(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor: ...
def fftshift(input: Tensor, dim: Any = ...) -> Tensor: ...
def fill(type: Any, shape: Any, value: Any) -> Tensor: ...
def fill_diagonal(input: Tensor, fill_value: Any, wrap: bool = ...) -> Tensor: ...
def fills(x: Tensor, value: Any) -> Tensor: ...
def flash_attention_score(query: Tensor, key: Tensor, value: Tensor, head_num: int, real_shift: Any = ..., drop_mask: Any = ..., padding_mask: Any = ..., attn_mask: Any = ..., prefix: Any = ..., actual_seq_qlen: Any = ..., actual_seq_kvlen: Any = ..., keep_prob: float = ..., scalar_value: float = ..., pre_tokens: int = ..., next_tokens: int = ..., inner_precise: int = ..., input_layout: str = ..., sparse_mode: int = ...) -> Tensor: ...
def flatten(input: Tensor, order: str = ..., *, start_dim: int = ..., end_dim: int = ...) -> Tensor: ...
def flip(input: Tensor, dims: Any) -> Tensor: ...
def fliplr(input: Tensor) -> Tensor: ...
def flipud(input: Tensor) -> Tensor: ...
def float_power(input: Any, exponent: Any) -> Tensor: ...
def floor(input: Tensor) -> Tensor: ...
def floor_div(x: Any, y: Any) -> Tensor: ...
def floor_divide(input: Any, other: Any) -> Tensor: ...
def floor_mod(x: Any, y: Any) -> Tensor: ...
def floordiv(x: Any, y: Any) -> Tensor: ...
def floormod(x: Any, y: Any) -> Tensor: ...
def fmax(input: Any, other: Any) -> Tensor: ...
def fmin(input: Any, other: Any) -> Tensor: ...
def fmod(input: Any, other: Any) -> Tensor: ...
def fold(input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = ..., padding: Any = ..., stride: Any = ...) -> Tensor: ...
def frac(x: Tensor) -> Tensor: ...
def fractional_max_pool2d(input: Tensor, kernel_size: Any, output_size: Any = ..., output_ratio: Any = ..., return_indices: bool = ..., _random_samples: Tensor | None = ...) -> Any: ...
def fractional_max_pool3d(input: Tensor, kernel_size: Any, output_size: Any = ..., output_ratio: Any = ..., return_indices: bool = ..., _random_samples: Tensor | None = ...) -> Any: ...
def full(size: Any, fill_value: Any, *, dtype: Any = ...) -> Tensor: ...
def full_like(input: Tensor, fill_value: Any, *, dtype: Any = ...) -> Tensor: ...
def fused_infer_attention_score(query: Tensor, key: Any, value: Any, *, pse_shift: Tensor | None = ..., atten_mask: Tensor | None = ..., actual_seq_lengths: Any = ..., actual_seq_lengths_kv: Any = ..., dequant_scale1: Any = ..., quant_scale1: Any = ..., dequant_scale2: Any = ..., quant_scale2: Any = ..., quant_offset2: Any = ..., antiquant_scale: Any = ..., antiquant_offset: Any = ..., key_antiquant_scale: Any = ..., key_antiquant_offset: Any = ..., value_antiquant_scale: Any = ..., value_antiquant_offset: Any = ..., block_table: Tensor | None = ..., query_padding_size: Any = ..., kv_padding_size: Any = ..., key_shared_prefix: Any = ..., value_shared_prefix: Any = ..., actual_shared_prefix_len: Any = ..., num_heads: int = ..., scale: float = ..., pre_tokens: int = ..., next_tokens: int = ..., input_layout: str = ..., num_key_value_heads: int = ..., sparse_mode: int = ..., inner_precise: int = ..., block_size: int = ..., antiquant_mode: int = ..., key_antiquant_mode: int = ..., value_antiquant_mode: int = ..., softmax_lse_flag: bool = ...) -> tuple[Tensor, Tensor]: ...
def gamma(shape: Any, alpha: Tensor, beta: Tensor, seed: int | None = ...) -> Tensor: ...
def gather(input_params: Tensor, input_indices: Tensor, axis: int, batch_dims: int = ...) -> Tensor: ...
def gather_d(x: Tensor, dim: int, index: Tensor) -> Tensor: ...
def gather_elements(input: Tensor, dim: int, index: Tensor) -> Tensor: ...
def gather_nd(input_x: Tensor, indices: Tensor) -> Tensor: ...
def gaussian_nll_loss(x: Tensor, target: Tensor, var: Any, full: bool = ..., eps: float = ..., reduction: str = ...) -> Tensor: ...
def gcd(input: Any, other: Any) -> Tensor: ...
def ge(input: Any, other: Any) -> Tensor: ...
def gelu(input: Tensor, approximate: str = ...) -> Tensor: ...
def geqrf(input: Tensor) -> tuple[Tensor, Tensor]: ...
def ger(input: Tensor, vec2: Tensor) -> Tensor: ...
def get_grad(gradients: Any, identifier: Any) -> Tensor: ...
def glu(x: Tensor, axis: int = ...) -> Tensor: ...
def grad(fn: Callable[..., Any], grad_position: Any = ..., weights: Any = ..., has_aux: bool = ..., return_ids: bool = ..., sens_param: bool = ...) -> Callable[..., Any]: ...
def greater(input: Any, other: Any) -> Tensor: ...
def greater_equal(input: Any, other: Any) -> Tensor: ...
def grid_sample(input: Tensor, grid: Tensor, mode: str = ..., padding_mode: str = ..., align_corners: bool = ...) -> Tensor: ...
def group_norm(input: Tensor, num_groups: int, weight: Any = ..., bias: Any = ..., eps: float = ...) -> Tensor: ...
def gt(input: Any, other: Any) -> Tensor: ...
def gumbel_softmax(logits: Tensor, tau: float = ..., hard: bool = ..., dim: int = ...) -> Tensor: ...
def hamming_window(window_length: Any, periodic: bool = ..., alpha: float = ..., beta: float = ..., *, dtype: Any = ...) -> Tensor: ...
def hann_window(window_length: Any, periodic: bool = ..., *, dtype: Any = ...) -> Tensor: ...
def hardshrink(input: Tensor, lambd: float = ...) -> Tensor: ...
def hardsigmoid(input: Tensor) -> Tensor: ...
def hardswish(input: Tensor) -> Tensor: ...
def hardtanh(input: Tensor, min_val: float = ..., max_val: float = ...) -> Tensor: ...
def heaviside(input: Any, values: Any) -> Tensor: ...
def hfft(input: Tensor, n: int | None = ..., dim: int = ..., norm: str | None = ...) -> Tensor: ...
def hfft2(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor: ...
def hfftn(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor: ...
def hinge_embedding_loss(inputs: Tensor, targets: Tensor, margin: float = ..., reduction: str = ...) -> Tensor: ...
def histc(input: Tensor, bins: int = ..., min: float = ..., max: float = ...) -> Tensor: ...
def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]: ...
def hstack(tensors: Any) -> Tensor: ...
def huber_loss(input: Tensor, target: Tensor, reduction: str = ..., delta: float = ...) -> Tensor: ...
def hypot(input: Any, other: Any) -> Tensor: ...
def i0(input: Tensor) -> Tensor: ...
def identity(x: Any) -> Any: ...
def ifft(input: Tensor, n: int | None = ..., dim: int = ..., norm: str | None = ...) -> Tensor: ...
def ifft2(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor: ...
def ifftn(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor: ...
def ifftshift(input: Tensor, dim: Any = ...) -> Tensor: ...
def igamma(input: Any, other: Any) -> Tensor: ...
def igammac(input: Any, other: Any) -> Tensor: ...
def ihfft(input: Tensor, n: int | None = ..., dim: int = ..., norm: str | None = ...) -> Tensor: ...
def ihfft2(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor: ...
def ihfftn(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor: ...
def imag(input: Tensor) -> Tensor: ...
def incre_flash_attention(query: Tensor, key: Any, value: Any, attn_mask: Tensor | None = ..., actual_seq_lengths: Any = ..., pse_shift: Tensor | None = ..., dequant_scale1: Any = ..., quant_scale1: Any = ..., dequant_scale2: Any = ..., quant_scale2: Any = ..., quant_offset2: Any = ..., antiquant_scale: Any = ..., antiquant_offset: Any = ..., block_table: Tensor | None = ..., num_heads: int = ..., input_layout: str = ..., scale_value: float = ..., num_key_value_heads: int = ..., block_size: int = ..., inner_precise: int = ..., kv_padding_size: Any = ...) -> Tensor: ...
def index_add(x: Tensor, indices: Tensor, y: Tensor, axis: int, use_lock: bool = ..., check_index_bound: bool = ...) -> Tensor: ...
def index_fill(x: Tensor, axis: int, index: Tensor, value: Any) -> Tensor: ...
def index_select(input: Tensor, axis: int, index: Tensor) -> Tensor: ...
def inner(input: Tensor, other: Tensor) -> Tensor: ...
def inplace_add(x: Tensor, v: Tensor, indices: Any) -> Tensor: ...
def inplace_index_add(x: Tensor, indices: Tensor, y: Tensor, axis: int, use_lock: bool = ..., check_index_bound: bool = ...) -> Tensor: ...
def inplace_sigmoid(input: Tensor) -> Tensor: ...
def inplace_sub(x: Tensor, v: Tensor, indices: Any) -> Tensor: ...
def inplace_update(x: Tensor, v: Tensor, indices: Any) -> Tensor: ...
def interpolate(input: Tensor, size: Any = ..., scale_factor: Any = ..., mode: str = ..., align_corners: bool | None = ..., recompute_scale_factor: bool | None = ..., *, roi: Any = ..., scales: Any = ..., sizes: Any = ..., coordinate_transformation_mode: str | None = ...) -> Tensor: ...
def intopk(x1: Tensor, x2: Tensor, k: int) -> Tensor: ...
def inv(x: Tensor) -> Tensor: ...
def inverse(input: Tensor) -> Tensor: ...
def invert(x: Tensor) -> Tensor: ...
def iou(anchor_boxes: Tensor, gt_boxes: Tensor, mode: str = ...) -> Tensor: ...
def irfft(input: Tensor, n: int | None = ..., dim: int = ..., norm: str | None = ...) -> Tensor: ...
def irfft2(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor: ...
def irfftn(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor: ...
def is_complex(input: Tensor) -> bool: ...
def is_floating_point(input: Tensor) -> bool: ...
def is_nonzero(input: Tensor) -> bool: ...
def is_tensor(obj: Any) -> bool: ...
def isclose(input: Tensor, other: Any, rtol: float = ..., atol: float = ..., equal_nan: bool = ...) -> Tensor: ...
def isfinite(input: Tensor) -> Tensor: ...
def isinf(input: Tensor) -> Tensor: ...
def isnan(input: Tensor) -> Tensor: ...
def isneginf(input: Tensor) -> Tensor: ...
def isposinf(input: Tensor) -> Tensor: ...
def isreal(input: Tensor) -> Tensor: ...
def jacfwd(fn: Callable[..., Any], grad_position: Any = ..., has_aux: bool = ...) -> Callable[..., Any]: ...
def jacrev(fn: Callable[..., Any], grad_position: Any = ..., has_aux: bool = ...) -> Callable[..., Any]: ...
def jet(fn: Callable[..., Any], primals: Any, series: Any) -> tuple[Any, Any]: ...
def jvp(fn: Callable[..., Any], inputs: Any, v: Any, has_aux: bool = ...) -> tuple[Any, ...]: ...
def kaiser_window(window_length: Any, periodic: bool = ..., beta: float = ..., *, dtype: Any = ...) -> Tensor: ...
def kernel(fn: Callable[..., Any] | None = ..., reg_info: Any = ..., compile_attrs: Any = ...) -> Any: ...
def kl_div(logits: Tensor, labels: Tensor, reduction: str = ...) -> Tensor: ...
def kron(input: Tensor, other: Tensor) -> Tensor: ...
def l1_loss(input: Tensor, target: Tensor, reduction: str = ...) -> Tensor: ...
def laplace(shape: Any, mean: Tensor, lambda_param: Tensor, seed: int | None = ...) -> Tensor: ...
def layer_norm(input: Tensor, normalized_shape: Any, weight: Any = ..., bias: Any = ..., eps: float = ...) -> Tensor: ...
def lcm(input: Any, other: Any) -> Tensor: ...
def ldexp(x: Tensor, other: Tensor) -> Tensor: ...
def le(input: Any, other: Any) -> Tensor: ...
def leaky_relu(input: Tensor, alpha: float = ...) -> Tensor: ...
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor: ...
def less(input: Any, other: Any) -> Tensor: ...
def less_equal(input: Any, other: Any) -> Tensor: ...
def lgamma(input: Tensor) -> Tensor: ...
def linearize(fn: Callable[..., Any], inputs: Any) -> tuple[Any, Callable[..., Any]]: ...
def linspace(start: Any, end: Any, steps: Any) -> Tensor: ...
def log(input: Tensor) -> Tensor: ...
def log10(input: Tensor) -> Tensor: ...
def log1p(input: Tensor) -> Tensor: ...
def log2(input: Tensor) -> Tensor: ...
def log_matrix_determinant(input: Tensor) -> tuple[Tensor, Tensor]: ...
def log_softmax(logits: Tensor, axis: int = ...) -> Tensor: ...
def log_uniform_candidate_sampler(true_classes: Tensor, num_true: int = ..., num_sampled: int = ..., unique: bool = ..., range_max: int = ..., seed: int = ...) -> tuple[Tensor, Tensor, Tensor]: ...
def logaddexp(input: Tensor, other: Tensor) -> Tensor: ...
def logaddexp2(input: Tensor, other: Tensor) -> Tensor: ...
def logcumsumexp(input: Tensor, axis: int) -> Tensor: ...
def logdet(input: Tensor) -> Tensor: ...
def logical_and(input: Any, other: Any) -> Tensor: ...
def logical_not(input: Tensor) -> Tensor: ...
def logical_or(input: Any, other: Any) -> Tensor: ...
def logical_xor(input: Any, other: Any) -> Tensor: ...
def logit(input: Tensor, eps: float | None = ...) -> Tensor: ...
def logsigmoid(x: Tensor) -> Tensor: ...
def logspace(start: Any, end: Any, steps: int, base: Any = ..., *, dtype: Any = ...) -> Tensor: ...
def logsumexp(input: Tensor, dim: Any, keepdim: bool = ...) -> Tensor: ...
def lp_pool1d(x: Tensor, norm_type: float, kernel_size: int, stride: Any = ..., ceil_mode: bool = ...) -> Tensor: ...
def lp_pool2d(x: Tensor, norm_type: float, kernel_size: Any, stride: Any = ..., ceil_mode: bool = ...) -> Tensor: ...
def lrn(x: Tensor, depth_radius: int = ..., bias: float = ..., alpha: float = ..., beta: float = ..., norm_region: str = ...) -> Tensor: ...
def lstsq(input: Tensor, A: Tensor) -> Tensor: ...
def lt(input: Any, other: Any) -> Tensor: ...
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor: ...
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = ..., unpack_pivots: bool = ...) -> tuple[Tensor, Tensor, Tensor]: ...
def make_range(*args: int) -> tuple[int, ...]: ...
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = ..., reduction: str = ...) -> Tensor: ...
def masked_fill(input_x: Tensor, mask: Tensor, value: Any) -> Tensor: ...
def masked_scatter(x: Tensor, mask: Tensor, tensor: Tensor) -> Tensor: ...
def masked_select(input: Tensor, mask: Tensor) -> Tensor: ...
def matmul(input: Tensor, other: Tensor) -> Tensor: ...
def matrix_band_part(x: Tensor, lower: Any, upper: Any) -> Tensor: ...
def matrix_determinant(input: Tensor) -> Tensor: ...
def matrix_diag(x: Tensor, k: Any = ..., num_rows: Any = ..., num_cols: Any = ..., padding_value: Any = ..., align: str = ...) -> Tensor: ...
def matrix_diag_part(x: Tensor, k: Any, padding_value: Any, align: str = ...) -> Tensor: ...
def matrix_exp(input: Tensor) -> Tensor: ...
def matrix_norm(A: Tensor, ord: Any = ..., axis: Any = ..., keepdims: bool = ..., *, dtype: Any = ...) -> Tensor: ...
def matrix_power(input: Tensor, n: int) -> Tensor: ...
def matrix_set_diag(x: Tensor, diagonal: Tensor, k: Any = ..., align: str = ...) -> Tensor: ...
def matrix_solve(matrix: Tensor, rhs: Tensor, adjoint: bool = ...) -> Tensor: ...
def max(input: Tensor, axis: int | None = ..., keepdims: bool = ..., *, initial: Any = ..., where: Any = ...) -> tuple[Tensor, Tensor]: ...
def max_pool2d(x: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = ..., dilation: Any = ..., return_indices: bool = ..., ceil_mode: bool = ...) -> Any: ...
def max_pool3d(x: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = ..., dilation: Any = ..., ceil_mode: bool = ..., return_indices: bool = ...) -> Any: ...
def max_unpool1d(x: Tensor, indices: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = ..., output_size: Any = ...) -> Tensor: ...
def max_unpool2d(x: Tensor, indices: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = ..., output_size: Any = ...) -> Tensor: ...
def max_unpool3d(x: Tensor, indices: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = ..., output_size: Any = ...) -> Tensor: ...
def maximum(input: Any, other: Any) -> Tensor: ...
def mean(x: Tensor, axis: Any = ..., keep_dims: bool = ..., *, dtype: Any = ...) -> Tensor: ...
def median(input: Tensor, axis: int = ..., keepdims: bool = ...) -> tuple[Tensor, Tensor]: ...
def meshgrid(*inputs: Any, indexing: str = ...) -> tuple[Tensor, ...]: ...
def min(input: Tensor, axis: int | None = ..., keepdims: bool = ..., *, initial: Any = ..., where: Any = ...) -> tuple[Tensor, Tensor]: ...
def minimum(input: Any, other: Any) -> Tensor: ...
def mirror_pad(input_x: Tensor, paddings: Any, mode: str) -> Tensor: ...
def mish(x: Tensor) -> Tensor: ...
def mixed_precision_cast(dst_dtype: Any, x: Any) -> Any: ...
def mm(input: Tensor, mat2: Tensor) -> Tensor: ...
def moe_init_routing_v2(x: Tensor, expert_idx: Tensor, active_num: int, expert_capacity: int, expert_num: int, drop_pad_mode: int, expert_tokens_count_or_cumsum_flag: int, expert_tokens_before_capacity_flag: bool) -> tuple[Tensor, ...]: ...
def moe_token_permute(tokens: Tensor, indices: Tensor, num_out_tokens: int | None = ..., padded_mode: bool = ...) -> tuple[Tensor, Tensor]: ...
def moe_token_unpermute(permuted_tokens: Tensor, sorted_indices: Tensor, probs: Tensor | None = ..., padded_mode: bool = ..., restore_shape: Any = ...) -> Tensor: ...
def move_to(input: Tensor, to: str = ..., blocking: bool = ...) -> Tensor: ...
def moveaxis(x: Tensor, source: Any, destination: Any) -> Tensor: ...
def movedim(x: Tensor, source: Any, destination: Any) -> Tensor: ...
def mse_loss(input: Tensor, target: Tensor, reduction: str = ...) -> Tensor: ...
def msort(input: Tensor) -> Tensor: ...
def mul(input: Any, other: Any) -> Tensor: ...
def multi_margin_loss(input: Tensor, target: Tensor, p: int = ..., margin: float = ..., weight: Any = ..., reduction: str = ...) -> Tensor: ...
def multi_scale_deformable_attn_function(value: Tensor, shape: Tensor, offset: Tensor, locations: Tensor, weight: Tensor) -> Tensor: ...
def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str = ...) -> Tensor: ...
def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Any = ..., reduction: str = ...) -> Tensor: ...
def multinomial(input: Tensor, num_samples: int, replacement: bool = ..., seed: int | None = ...) -> Tensor: ...
def multinomial_with_replacement(x: Tensor, seed: int, offset: int, numsamples: int, replacement: bool = ...) -> Tensor: ...
def multiply(input: Any, other: Any) -> Tensor: ...
def mv(mat: Tensor, vec: Tensor) -> Tensor: ...
def mvlgamma(input: Tensor, p: int) -> Tensor: ...
def nan_to_num(input: Tensor, nan: float | None = ..., posinf: float | None = ..., neginf: float | None = ...) -> Tensor: ...
def nanmean(input: Tensor, axis: Any = ..., keepdims: bool = ..., *, dtype: Any = ...) -> Tensor: ...
def nanmedian(input: Tensor, axis: int = ..., keepdims: bool = ...) -> tuple[Tensor, Tensor]: ...
def nanquantile(input: Tensor, q: Any, axis: int | None = ..., keepdims: bool = ...) -> Tensor: ...
def nansum(input: Tensor, axis: Any = ..., keepdims: bool = ..., *, dtype: Any = ...) -> Tensor: ...
def narrow(input: Tensor, axis: int, start: Any, length: int) -> Tensor: ...
def ne(input: Any, other: Any) -> Tensor: ...
def neg(input: Tensor) -> Tensor: ...
def negative(input: Tensor) -> Tensor: ...
def new_ones(input: Tensor, size: Any, *, dtype: Any = ...) -> Tensor: ...
def new_zeros(input: Tensor, size: Any, *, dtype: Any = ...) -> Tensor: ...
def nextafter(input: Tensor, other: Tensor) -> Tensor: ...
def nll_loss(inputs: Tensor, target: Tensor, weight: Any = ..., ignore_index: int = ..., reduction: str = ..., label_smoothing: float = ...) -> Tensor: ...
def nonzero(input: Tensor, *, as_tuple: bool = ...) -> Any: ...
def norm(A: Tensor, ord: Any = ..., dim: Any = ..., keepdim: bool = ..., *, dtype: Any = ...) -> Tensor: ...
def normal(shape: Any, mean: Any, stddev: Any, seed: int | None = ...) -> Tensor: ...
def normal_(input: Tensor, mean: Any = ..., std: Any = ..., *, generator: Any = ...) -> Tensor: ...
def not_equal(input: Any, other: Any) -> Tensor: ...
def numel(input: Tensor) -> int: ...
def one_hot(indices: Tensor, depth: int, on_value: Any = ..., off_value: Any = ..., axis: int = ...) -> Tensor: ...
def ones(shape: Any, dtype: Any = ...) -> Tensor: ...
def ones_like(input: Tensor, *, dtype: Any = ...) -> Tensor: ...
def orgqr(input: Tensor, input2: Tensor) -> Tensor: ...
def ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool = ..., transpose: bool = ...) -> Tensor: ...
def outer(input: Tensor, vec2: Tensor) -> Tensor: ...
def pad(input_x: Tensor, padding: Any, mode: str = ..., value: Any = ...) -> Tensor: ...
def padding(x: Tensor, pad_dim_size: int = ...) -> Tensor: ...
def partial(*args: Any, **kwargs: Any) -> Callable[..., Any]: ...
def pdist(input: Tensor, p: float = ...) -> Tensor: ...
def permute(input: Tensor, axis: Any) -> Tensor: ...
def pick(x: Tensor, axis: int, i: int) -> Tensor: ...
def pinv(x: Tensor, *, atol: Any = ..., rtol: Any = ..., hermitian: bool = ...) -> Tensor: ...
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor: ...
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor: ...
def poisson(shape: Any, mean: Tensor, seed: int | None = ...) -> Tensor: ...
def polar(abs: Tensor, angle: Tensor) -> Tensor: ...
def polygamma(n: Any, input: Tensor) -> Tensor: ...
def population_count(input_x: Tensor) -> Tensor: ...
def positive(input: Tensor) -> Tensor: ...
def pow(input: Any, exponent: Any) -> Tensor: ...
def pows(input: Any, exponent: Any) -> Tensor: ...
def prelu(input: Tensor, weight: Tensor) -> Tensor: ...
def prim_attr_register(fn: Callable[..., None]) -> Callable[..., None]: ...
def print_(*input_x: Any) -> None: ...
def prod(input: Tensor, axis: Any = ..., keep_dims: bool = ..., dtype: Any = ...) -> Tensor: ...
def prompt_flash_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = ..., actual_seq_lengths: Any = ..., actual_seq_lengths_kv: Any = ..., pse_shift: Tensor | None = ..., deq_scale1: Any = ..., quant_scale1: Any = ..., deq_scale2: Any = ..., quant_scale2: Any = ..., quant_offset2: Any = ..., num_heads: int = ..., scale_value: float = ..., pre_tokens: int = ..., next_tokens: int = ..., input_layout: str = ..., num_key_value_heads: int = ..., sparse_mode: int = ..., inner_precise: int = ...) -> Tensor: ...
def ptp(input: Tensor, axis: Any = ..., keepdims: bool = ...) -> Tensor: ...
def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = ...) -> Tensor: ...
def qr(input: Tensor, mode: str = ...) -> tuple[Tensor, Tensor]: ...
def quantile(input: Tensor, q: Any, axis: int | None = ..., keepdims: bool = ...) -> Tensor: ...
def rad2deg(x: Tensor) -> Tensor: ...
def rand(*size: Any, dtype: Any = ..., seed: int | None = ...) -> Tensor: ...
def rand_like(input: Tensor, seed: int | None = ..., *, dtype: Any = ...) -> Tensor: ...
def randint(low: int, high: int, size: Any, seed: int | None = ..., *, dtype: Any = ...) -> Tensor: ...
def randint_like(input: Tensor, low: int, high: int, seed: int | None = ..., *, dtype: Any = ...) -> Tensor: ...
def randn(*size: Any, dtype: Any = ..., seed: int | None = ...) -> Tensor: ...
def randn_like(input: Tensor, seed: int | None = ..., *, dtype: Any = ...) -> Tensor: ...
def random_(input: Tensor, from_: int = ..., to: int | None = ..., *, generator: Any = ...) -> Tensor: ...
def random_categorical(logits: Tensor, num_sample: int, seed: int = ..., dtype: Any = ...) -> Tensor: ...
def random_gamma(shape: Any, alpha: Tensor, seed: int | None = ...) -> Tensor: ...
def random_poisson(shape: Any, rate: Tensor, seed: int | None = ..., dtype: Any = ...) -> Tensor: ...
def randperm(n: int, seed: int = ..., offset: int = ..., dtype: Any = ...) -> Tensor: ...
def range(start: Any, end: Any, step: Any, maxlen: int = ...) -> Tensor: ...
def rank(input_x: Tensor) -> int: ...
def ravel(input: Tensor) -> Tensor: ...
def real(input: Tensor) -> Tensor: ...
def reciprocal(input: Tensor) -> Tensor: ...
def reduce_all(x: Tensor, axis: Any = ...) -> Tensor: ...
def reduce_any(x: Tensor, axis: Any = ...) -> Tensor: ...
def reduce_max(x: Tensor, axis: Any = ...) -> Tensor: ...
def reduce_mean(x: Tensor, axis: Any = ...) -> Tensor: ...
def reduce_min(x: Tensor, axis: Any = ...) -> Tensor: ...
def reduce_prod(x: Tensor, axis: Any = ...) -> Tensor: ...
def reduce_sum(x: Tensor, axis: Any = ...) -> Tensor: ...
def relu(input: Tensor, inplace: bool = ...) -> Tensor: ...
def relu6(x: Tensor) -> Tensor: ...
def remainder(input: Any, other: Any) -> Tensor: ...
def renorm(input: Tensor, p: int, axis: int, maxnorm: float) -> Tensor: ...
def repeat_elements(x: Tensor, rep: int, axis: int = ...) -> Tensor: ...
def repeat_interleave(input: Tensor, repeats: Any, axis: int | None = ..., output_size: int | None = ...) -> Tensor: ...
def reshape(input: Tensor, shape: Any) -> Tensor: ...
def reshape_(input: Tensor, shape: Any) -> Tensor: ...
def reverse(x: Tensor, axis: Any) -> Tensor: ...
def reverse_sequence(x: Tensor, seq_lengths: Tensor, seq_dim: int, batch_dim: int = ...) -> Tensor: ...
def rfft(input: Tensor, n: int | None = ..., dim: int = ..., norm: str | None = ...) -> Tensor: ...
def rfft2(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor: ...
def rfftfreq(n: int, d: float = ..., dtype: Any = ...) -> Tensor: ...
def rfftn(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor: ...
def ring_attention_update(prev_attn_out: Tensor, prev_softmax_max: Tensor, prev_softmax_sum: Tensor, cur_attn_out: Tensor, cur_softmax_max: Tensor, cur_softmax_sum: Tensor, actual_seq_qlen: Any = ..., layout: str = ...) -> tuple[Tensor, Tensor, Tensor]: ...
def rint(input: Tensor) -> Tensor: ...
def rms_norm(x: Tensor, gamma: Tensor, epsilon: float = ...) -> tuple[Tensor, Tensor]: ...
def roll(input: Tensor, shifts: Any, dims: Any = ...) -> Tensor: ...
def rot90(input: Tensor, k: int, dims: Any) -> Tensor: ...
def rotary_position_embedding(x: Tensor, cos: Tensor, sin: Tensor, mode: int = ...) -> Tensor: ...
def rotated_iou(boxes: Tensor, query_boxes: Tensor, trans: bool = ..., mode: int = ..., is_cross: bool = ..., v_threshold: float = ..., e_threshold: float = ...) -> Tensor: ...
def round(input: Tensor, decimals: int = ...) -> Tensor: ...
def row_stack(tensors: Any) -> Tensor: ...
def rrelu(input: Tensor, lower: float = ..., upper: float = ...) -> Tensor: ...
def rsqrt(input: Tensor) -> Tensor: ...
def scalar_cast(input_x: Any, input_y: Any) -> Any: ...
def scalar_to_array(input_x: Any) -> Tensor: ...
def scalar_to_tensor(input_x: Any, dtype: Any = ...) -> Tensor: ...
def scatter(input: Tensor, axis: int, index: Tensor, src: Any) -> Tensor: ...
def scatter_add(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor: ...
def scatter_div(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor: ...
def scatter_max(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor: ...
def scatter_min(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor: ...
def scatter_mul(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor: ...
def scatter_nd(indices: Tensor, updates: Tensor, shape: Any) -> Tensor: ...
def scatter_nd_add(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = ...) -> Tensor: ...
def scatter_nd_div(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = ...) -> Tensor: ...
def scatter_nd_max(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = ...) -> Tensor: ...
def scatter_nd_min(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = ...) -> Tensor: ...
def scatter_nd_mul(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = ...) -> Tensor: ...
def scatter_nd_sub(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = ...) -> Tensor: ...
def scatter_nd_update(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = ...) -> Tensor: ...
def scatter_update(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor: ...
def searchsorted(sorted_sequence: Tensor, values: Any, *, out_int32: bool = ..., right: bool = ..., side: str | None = ..., sorter: Any = ...) -> Tensor: ...
def select(condition: Tensor, input: Any, other: Any) -> Tensor: ...
def select_scatter(input: Tensor, src: Tensor, axis: int, index: int) -> Tensor: ...
def selu(input_x: Tensor) -> Tensor: ...
def sequence_mask(lengths: Tensor, maxlen: Any = ...) -> Tensor: ...
def sgn(input: Tensor) -> Tensor: ...
def shape(input_x: Tensor) -> tuple[int, ...]: ...
def shape_(input_x: Tensor) -> tuple[int, ...]: ...
def shape_mul(input_data: Any) -> int: ...
def shuffle(x: Tensor, seed: int | None = ...) -> Tensor: ...
def sigmoid(input: Tensor) -> Tensor: ...
def sign(input: Tensor) -> Tensor: ...
def signbit(input: Tensor) -> Tensor: ...
def silu(input: Tensor) -> Tensor: ...
def sin(input: Tensor) -> Tensor: ...
def sinc(input: Tensor) -> Tensor: ...
def sinh(input: Tensor) -> Tensor: ...
def size(input_x: Tensor) -> int: ...
def slice(input_x: Tensor, begin: Any, size: Any) -> Tensor: ...
def slice_scatter(input: Tensor, src: Tensor, axis: int = ..., start: Any = ..., end: Any = ..., step: int = ...) -> Tensor: ...
def slogdet(input: Tensor) -> tuple[Tensor, Tensor]: ...
def smooth_l1_loss(input: Tensor, target: Tensor, beta: float = ..., reduction: str = ...) -> Tensor: ...
def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = ...) -> Tensor: ...
def soft_shrink(input: Tensor, lambd: float = ...) -> Tensor: ...
def softmax(input: Tensor, axis: Any = ..., *, dtype: Any = ...) -> Tensor: ...
def softmin(x: Tensor, axis: Any = ..., *, dtype: Any = ...) -> Tensor: ...
def softplus(input: Tensor, beta: float = ..., threshold: float = ...) -> Tensor: ...
def softshrink(input: Tensor, lambd: float = ...) -> Tensor: ...
def softsign(x: Tensor) -> Tensor: ...
def sort(input_x: Tensor, axis: int = ..., descending: bool = ..., stable: bool = ...) -> tuple[Tensor, Tensor]: ...
def space_to_batch_nd(input_x: Tensor, block_size: Any, paddings: Any) -> Tensor: ...
def sparse_segment_mean(x: Tensor, indices: Tensor, segment_ids: Tensor) -> Tensor: ...
def speed_fusion_attention(query: Tensor, key: Tensor, value: Tensor, head_num: int, input_layout: str, *, pse: Tensor | None = ..., padding_mask: Any = ..., atten_mask: Tensor | None = ..., scale: float = ..., keep_prob: float = ..., pre_tokens: int = ..., next_tokens: int = ..., inner_precise: int = ..., prefix: Any = ..., actual_seq_qlen: Any = ..., actual_seq_kvlen: Any = ..., sparse_mode: int = ..., gen_mask_parallel: bool = ..., sync: bool = ..., pse_type: int = ..., q_start_idx: Any = ..., kv_start_idx: Any = ...) -> tuple[Tensor, ...]: ...
def split(tensor: Tensor, split_size_or_sections: Any, axis: int = ...) -> tuple[Tensor, ...]: ...
def sqrt(x: Tensor) -> Tensor: ...
def square(input: Tensor) -> Tensor: ...
def squeeze(input: Tensor, axis: Any = ...) -> Tensor: ...
def stack(tensors: Any, axis: int = ...) -> Tensor: ...
def standard_laplace(shape: Any, seed: int | None = ...) -> Tensor: ...
def standard_normal(shape: Any, seed: int | None = ...) -> Tensor: ...
def std(input: Tensor, axis: Any = ..., ddof: int = ..., keepdims: bool = ...) -> Tensor: ...
def std_mean(input: Tensor, axis: Any = ..., ddof: int = ..., keepdims: bool = ...) -> tuple[Tensor, Tensor]: ...
def stft(x: Tensor, n_fft: int, hop_length: int | None = ..., win_length: int | None = ..., window: Tensor | None = ..., center: bool = ..., pad_mode: str = ..., normalized: bool = ..., onesided: bool | None = ..., return_complex: bool | None = ...) -> Tensor: ...
def stop_gradient(value: Any) -> Any: ...
def stop_gradient_(input: Tensor) -> None: ...
def strided_slice(input_x: Tensor, begin: Any, end: Any, strides: Any, begin_mask: int = ..., end_mask: int = ..., ellipsis_mask: int = ..., new_axis_mask: int = ..., shrink_axis_mask: int = ...) -> Tensor: ...
def sub(input: Any, other: Any) -> Tensor: ...
def subtract(input: Any, other: Any, *, alpha: Any = ...) -> Tensor: ...
def sum(input: Tensor, dim: Any = ..., keepdim: bool = ..., *, dtype: Any = ..., initial: Any = ...) -> Tensor: ...
def svd(input: Tensor, full_matrices: bool = ..., compute_uv: bool = ...) -> Any: ...
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor: ...
def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor: ...
def swiglu(input: Tensor, dim: int = ...) -> Tensor: ...
def t(input: Tensor) -> Tensor: ...
def take(input: Tensor, index: Tensor) -> Tensor: ...
def tan(input: Tensor) -> Tensor: ...
def tanh(input: Tensor) -> Tensor: ...
def tanh_(input: Tensor) -> Tensor: ...
def tanhshrink(input: Tensor) -> Tensor: ...
def tensor_add(input: Any, other: Any) -> Tensor: ...
def tensor_div(x: Any, y: Any) -> Tensor: ...
def tensor_dot(x1: Tensor, x2: Tensor, axes: Any) -> Tensor: ...
def tensor_exp(input: Tensor) -> Tensor: ...
def tensor_expm1(input: Tensor) -> Tensor: ...
def tensor_floordiv(x: Any, y: Any) -> Tensor: ...
def tensor_ge(input: Any, other: Any) -> Tensor: ...
def tensor_gt(input: Any, other: Any) -> Tensor: ...
def tensor_le(input: Any, other: Any) -> Tensor: ...
def tensor_lt(input: Any, other: Any) -> Tensor: ...
def tensor_mod(x: Any, y: Any) -> Tensor: ...
def tensor_mul(input: Any, other: Any) -> Tensor: ...
def tensor_muls(input: Any, other: Any) -> Tensor: ...
def tensor_pow(input: Any, exponent: Any) -> Tensor: ...
def tensor_range(start: Any, end: Any, step: Any, maxlen: int = ...) -> Tensor: ...
def tensor_scatter_add(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor: ...
def tensor_scatter_div(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor: ...
def tensor_scatter_elements(input_x: Tensor, indices: Tensor, updates: Tensor, axis: int = ..., reduction: str = ...) -> Tensor: ...
def tensor_scatter_max(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor: ...
def tensor_scatter_min(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor: ...
def tensor_scatter_mul(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor: ...
def tensor_scatter_sub(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor: ...
def tensor_scatter_update(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor: ...
def tensor_slice(input_x: Tensor, begin: Any, size: Any) -> Tensor: ...
def tensor_split(input: Tensor, indices_or_sections: Any, axis: int = ...) -> tuple[Tensor, ...]: ...
def tensor_sub(input: Any, other: Any) -> Tensor: ...
def tensordump(file_name: str, tensor: Tensor, mode: str = ...) -> None: ...
def threshold(input: Tensor, thr: float, value: float) -> Tensor: ...
def tile(input: Tensor, dims: Any) -> Tensor: ...
def top_k(input_x: Tensor, k: int, sorted: bool = ...) -> tuple[Tensor, Tensor]: ...
def topk(input: Tensor, k: int, dim: int | None = ..., largest: bool = ..., sorted: bool = ...) -> tuple[Tensor, Tensor]: ...
def trace(input: Tensor) -> Tensor: ...
def transpose(input: Tensor, dims: Any) -> Tensor: ...
def trapz(y: Tensor, x: Tensor | None = ..., *, dx: float = ..., dim: int = ...) -> Tensor: ...
def tril(input: Tensor, diagonal: int = ...) -> Tensor: ...
def tril_indices(row: int, col: int, offset: int = ..., *, dtype: Any = ...) -> Tensor: ...
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = ..., p: int = ..., eps: float = ..., swap: bool = ..., reduction: str = ...) -> Tensor: ...
def triu(input: Tensor, diagonal: int = ...) -> Tensor: ...
def triu_indices(row: int, col: int, offset: int = ..., *, dtype: Any = ...) -> Tensor: ...
def true_divide(dividend: Any, divisor: Any) -> Tensor: ...
def trunc(input: Tensor) -> Tensor: ...
def truncate_div(x: Any, y: Any) -> Tensor: ...
def truncate_mod(x: Any, y: Any) -> Tensor: ...
def tuple_len(x: Any) -> int: ...
def tuple_to_array(input_x: Any) -> Tensor: ...
def type_as(input: Tensor, other: Tensor) -> Tensor: ...
def unbind(input: Tensor, dim: int = ...) -> tuple[Tensor, ...]: ...
def unfold(input: Tensor, kernel_size: Any, dilation: Any = ..., padding: Any = ..., stride: Any = ...) -> Tensor: ...
def uniform(shape: Any, minval: Any, maxval: Any, seed: int | None = ..., dtype: Any = ...) -> Tensor: ...
def uniform_(input: Tensor, from_: Any = ..., to: Any = ..., *, generator: Any = ...) -> Tensor: ...
def uniform_candidate_sampler(true_classes: Tensor, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int = ..., remove_accidental_hits: bool = ...) -> tuple[Tensor, Tensor, Tensor]: ...
def unique(input: Tensor) -> tuple[Tensor, Tensor]: ...
def unique_consecutive(input: Tensor, return_inverse: bool = ..., return_counts: bool = ..., dim: Any = ...) -> Any: ...
def unique_with_pad(x: Tensor, pad_num: Any) -> tuple[Tensor, Tensor]: ...
def unsorted_segment_max(x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor: ...
def unsorted_segment_min(x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor: ...
def unsorted_segment_prod(x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor: ...
def unsorted_segment_sum(input_x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor: ...
def unsqueeze(input: Tensor, dim: int) -> Tensor: ...
def unstack(input_x: Tensor, axis: int = ...) -> tuple[Tensor, ...]: ...
def upsample(input: Tensor, size: Any = ..., scale_factor: Any = ..., mode: str = ..., align_corners: bool | None = ..., recompute_scale_factor: bool | None = ...) -> Tensor: ...
def value_and_grad(fn: Callable[..., Any], grad_position: Any = ..., weights: Any = ..., has_aux: bool = ..., return_ids: bool = ..., sens_param: bool = ...) -> Callable[..., Any]: ...
def vander(x: Tensor, N: int | None = ...) -> Tensor: ...
def var(input: Tensor, axis: Any = ..., ddof: int = ..., keepdims: bool = ...) -> Tensor: ...
def var_mean(input: Tensor, axis: Any = ..., ddof: int = ..., keepdims: bool = ...) -> tuple[Tensor, Tensor]: ...
def vecdot(x: Tensor, y: Tensor, *, axis: int = ...) -> Tensor: ...
def vector_norm(x: Tensor, ord: float = ..., axis: Any = ..., keepdims: bool = ..., *, dtype: Any = ...) -> Tensor: ...
def view_as(input: Tensor, other: Tensor) -> Tensor: ...
def view_as_real(input: Tensor) -> Tensor: ...
def vjp(fn: Callable[..., Any], *inputs: Any, weights: Any = ..., has_aux: bool = ...) -> tuple[Any, ...]: ...
def vmap(fn: Any, in_axes: Any = ..., out_axes: Any = ...) -> Callable[..., Any]: ...
def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]: ...
def vstack(inputs: Any) -> Tensor: ...
def where(condition: Tensor, input: Any, other: Any) -> Tensor: ...
def xdivy(x: Any, y: Any) -> Tensor: ...
def xlogy(input: Any, other: Any) -> Tensor: ...
def zero_(input: Tensor) -> Tensor: ...
def zeros(size: Any, dtype: Any = ...) -> Tensor: ...
def zeros_like(input: Tensor, *, dtype: Any = ...) -> Tensor: ...
def zeta(input: Any, other: Any) -> Tensor: ...

__all__ = [
    "ACos",
    "Abs",
    "AccumulateNV2",
    "Acosh",
    "Adam",
    "AdamNoUpdateParam",
    "AdamWeightDecay",
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool3D",
    "AdaptiveMaxPool2D",
    "AdaptiveMaxPool3D",
    "Add",
    "AddN",
    "Addcdiv",
    "Addcmul",
    "AdjustHue",
    "AdjustSaturation",
    "AffineGrid",
    "AllGather",
    "AllReduce",
    "AlltoAll",
    "Angle",
    "ApplyAdaMax",
    "ApplyAdadelta",
    "ApplyAdagrad",
    "ApplyAdagradDA",
    "ApplyAdagradV2",
    "ApplyAdamWithAmsgrad",
    "ApplyAdamWithAmsgradV2",
    "ApplyAddSign",
    "ApplyCenteredRMSProp",
    "ApplyFtrl",
    "ApplyGradientDescent",
    "ApplyKerasMomentum",
    "ApplyMomentum",
    "ApplyPowerSign",
    "ApplyProximalAdagrad",
    "ApplyProximalGradientDescent",
    "ApplyRMSProp",
    "ApplyRotaryPosEmb",
    "ApproximateEqual",
    "ArgMaxWithValue",
    "ArgMinWithValue",
    "Argmax",
    "Argmin",
    "Asin",
    "Asinh",
    "Assign",
    "AssignAdd",
    "AssignSub",
    "Atan",
    "Atan2",
    "Atanh",
    "AvgPool",
    "AvgPool3D",
    "BCEWithLogitsLoss",
    "Barrier",
    "BartlettWindow",
    "BatchMatMul",
    "BatchNorm",
    "BatchNormGrad",
    "BatchNormInfer",
    "BatchNormTrain",
    "BatchToSpace",
    "BatchToSpaceND",
    "BatchToSpaceNDV2",
    "Bernoulli",
    "BesselI0",
    "BesselI0e",
    "BesselI1",
    "BesselI1e",
    "BesselJ0",
    "BesselJ1",
    "BesselK0",
    "BesselK0e",
    "BesselK1",
    "BesselK1e",
    "BesselY0",
    "BesselY1",
    "Betainc",
    "BiasAdd",
    "BiasAddGrad",
    "BinaryCrossEntropy",
    "Bincount",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "BlackmanWindow",
    "BoundingBoxDecode",
    "BoundingBoxEncode",
    "Broadcast",
    "BroadcastTo",
    "Bucketize",
    "CTCGreedyDecoder",
    "CTCLoss",
    "CTCLossV2",
    "CTCLossV2Grad",
    "Cast",
    "Cauchy",
    "Cdist",
    "CeLU",
    "Ceil",
    "ChannelShuffle",
    "ChannelWindowSum",
    "CheckNumerics",
    "CheckValid",
    "Cholesky",
    "CholeskyInverse",
    "CholeskySolve",
    "ClampMax",
    "ClampMin",
    "Coalesce",
    "Col2Im",
    "CollectiveGather",
    "CollectiveScatter",
    "CombinedNonMaxSuppression",
    "CompareAndBitpack",
    "Complex",
    "ComplexAbs",
    "ComputeAccidentalHits",
    "Concat",
    "ConfusionMatrix",
    "Conj",
    "ConjugateTranspose",
    "ControlDepend",
    "Conv2D",
    "Conv2DBackpropFilter",
    "Conv2DBackpropInput",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DBackpropFilter",
    "Conv3DBackpropInput",
    "Conv3DTranspose",
    "CopySign",
    "Cos",
    "Cosh",
    "CountNonZero",
    "CropAndResize",
    "Cross",
    "CumProd",
    "CumSum",
    "Cummax",
    "Cummin",
    "CumulativeLogsumexp",
    "Custom",
    "CustomOpBuilder",
    "CustomRegOp",
    "DType",
    "DataFormatDimMap",
    "DataFormatVecPermute",
    "DataType",
    "DeformableOffsets",
    "Dense",
    "DenseToDenseSetOperation",
    "DenseToSparseSetOperation",
    "Depend",
    "DepthToSpace",
    "DepthwiseConv2dNative",
    "Diag",
    "DiagPart",
    "Digamma",
    "Dilation2D",
    "Div",
    "DivNoNan",
    "Dropout",
    "Dropout2D",
    "Dropout3D",
    "DropoutDoMask",
    "DropoutGenMask",
    "DropoutGrad",
    "DumpGradient",
    "DynamicGRUV2",
    "DynamicRNN",
    "DynamicShape",
    "EditDistance",
    "Eig",
    "Eigh",
    "Einsum",
    "Elu",
    "EmbeddingLookup",
    "Eps",
    "Equal",
    "EqualCount",
    "Erf",
    "Erfc",
    "Erfinv",
    "EuclideanNorm",
    "Exp",
    "Expand",
    "ExpandDims",
    "Expm1",
    "ExtractGlimpse",
    "ExtractImagePatches",
    "ExtractVolumePatches",
    "Eye",
    "FFTWithSize",
    "FastGeLU",
    "FastGelu",
    "Fill",
    "FillDiagonal",
    "FillV2",
    "Fills",
    "FlashAttentionScore",
    "Flatten",
    "FloatStatus",
    "Floor",
    "FloorDiv",
    "FloorMod",
    "Fmax",
    "Fmin",
    "ForiLoop",
    "Fourier",
    "FractionalAvgPool",
    "FractionalMaxPool",
    "FractionalMaxPool3DWithFixedKsize",
    "FractionalMaxPoolWithFixedKsize",
    "FusedAdaFactor",
    "FusedAdaFactorWithGlobalNorm",
    "FusedCastAdamWeightDecay",
    "FusedInferAttentionScore",
    "FusedSparseAdam",
    "FusedSparseFtrl",
    "FusedSparseLazyAdam",
    "FusedSparseProximalAdagrad",
    "FusedWeightScaleApplyMomentum",
    "GLU",
    "Gamma",
    "Gather",
    "GatherD",
    "GatherNd",
    "GatherV2",
    "Gcd",
    "GeLU",
    "Gelu",
    "Geqrf",
    "Ger",
    "GetItem",
    "GetItemByMask",
    "GetItemGrad",
    "GetNext",
    "GradOperation",
    "Greater",
    "GreaterEqual",
    "GridSampler2D",
    "GridSampler3D",
    "GroupTopk",
    "HSVToRGB",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "HammingWindow",
    "Heaviside",
    "Histogram",
    "HistogramFixedWidth",
    "HistogramSummary",
    "HookBackward",
    "HyperMap",
    "Hypot",
    "IOU",
    "Identity",
    "IdentityN",
    "Igamma",
    "Igammac",
    "Im2Col",
    "Imag",
    "ImageSummary",
    "InTopK",
    "IncreFlashAttention",
    "IndexAdd",
    "IndexFill",
    "IndexPut",
    "InplaceAdd",
    "InplaceIndexAdd",
    "InplaceSub",
    "InplaceUpdate",
    "InplaceUpdateV2",
    "InsertGradientOf",
    "Inv",
    "Invert",
    "InvertPermutation",
    "IsClose",
    "IsFinite",
    "IsInf",
    "IsNan",
    "KLDivLoss",
    "KVCacheScatterUpdate",
    "L2Loss",
    "L2Normalize",
    "LARSUpdate",
    "LRN",
    "LSTM",
    "LayerNorm",
    "LayerNormGrad",
    "Lcm",
    "LeftShift",
    "Lerp",
    "LerpScalar",
    "Less",
    "LessEqual",
    "Lgamma",
    "LinSpace",
    "ListDiff",
    "Load",
    "Log",
    "Log1p",
    "LogMatrixDeterminant",
    "LogNormalReverse",
    "LogSoftmax",
    "LogSoftmaxExt",
    "LogSpace",
    "LogUniformCandidateSampler",
    "LogicalAnd",
    "LogicalNot",
    "LogicalOr",
    "LogicalXor",
    "Logit",
    "LowerBound",
    "LpNorm",
    "Lstsq",
    "Lu",
    "LuSolve",
    "LuUnpack",
    "Map",
    "MapUniform",
    "MaskedFill",
    "MaskedScatter",
    "MaskedSelect",
    "MatMul",
    "MatMulExt",
    "MatrixBandPart",
    "MatrixDeterminant",
    "MatrixDiagPartV3",
    "MatrixDiagV3",
    "MatrixExp",
    "MatrixInverse",
    "MatrixLogarithm",
    "MatrixPower",
    "MatrixSetDiagV3",
    "MatrixSolve",
    "MatrixSolveLs",
    "MatrixTriangularSolve",
    "MaxPool",
    "MaxPool3D",
    "MaxPool3DWithArgmax",
    "MaxPoolWithArgmax",
    "MaxPoolWithArgmaxV2",
    "MaxUnpool2D",
    "MaxUnpool3D",
    "Maximum",
    "MaximumGrad",
    "Median",
    "Meshgrid",
    "Minimum",
    "MirrorPad",
    "Mish",
    "Mod",
    "MovingAverage",
    "Mul",
    "MulNoNan",
    "MultiMarginLoss",
    "MultilabelMarginLoss",
    "Multinomial",
    "MultinomialWithReplacement",
    "MultitypeFuncGraph",
    "Mvlgamma",
    "NLLLoss",
    "NLLLossGrad",
    "NMSWithMask",
    "NPUAllocFloatStatus",
    "NPUClearFloatStatus",
    "NPUGetFloatStatus",
    "NanToNum",
    "Neg",
    "NextAfter",
    "NoRepeatNGram",
    "NonDeterministicInts",
    "NonMaxSuppressionV3",
    "NonMaxSuppressionWithOverlaps",
    "NonZero",
    "NonZero01",
    "NotEqual",
    "NthElement",
    "NuclearNorm",
    "OneHot",
    "Ones",
    "OnesLike",
    "Orgqr",
    "Ormqr",
    "PNorm",
    "PReLU",
    "Pack",
    "Pad",
    "PadV3",
    "Padding",
    "PagedAttention",
    "PagedAttentionMask",
    "ParallelConcat",
    "ParameterizedTruncatedNormal",
    "Partial",
    "Pdist",
    "PivotRowOrder",
    "Poisson",
    "Polar",
    "Polygamma",
    "PopulationCount",
    "Pow",
    "Primitive",
    "PrimitiveWithCheck",
    "PrimitiveWithInfer",
    "Print",
    "PromptFlashAttention",
    "Pull",
    "Push",
    "PutAlongAxis",
    "PyFunc",
    "Qr",
    "Quantile",
    "RGBToHSV",
    "RNNTLoss",
    "ROIAlign",
    "RaggedRange",
    "RandomCategorical",
    "RandomChoiceWithMask",
    "RandomGamma",
    "RandomPoisson",
    "RandomShuffle",
    "Randperm",
    "RandpermV2",
    "Range",
    "Rank",
    "ReLU",
    "ReLU6",
    "ReLUV3",
    "Real",
    "RealDiv",
    "Receive",
    "Reciprocal",
    "Reduce",
    "ReduceAll",
    "ReduceAny",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceOp",
    "ReduceProd",
    "ReduceScatter",
    "ReduceStd",
    "ReduceSum",
    "ReduceToShape",
    "Relu6Grad",
    "ReluGrad",
    "Renorm",
    "Reshape",
    "ReshapeAndCache",
    "ResizeArea",
    "ResizeBicubic",
    "ResizeBilinear",
    "ResizeBilinearV2",
    "ResizeLinear1D",
    "ResizeNearestNeighbor",
    "ResizeNearestNeighborV2",
    "ReverseSequence",
    "ReverseV2",
    "RightShift",
    "Rint",
    "RmsNorm",
    "Roll",
    "RotatedIou",
    "Round",
    "Rsqrt",
    "SGD",
    "STFT",
    "SampleDistortedBoundingBoxV2",
    "ScalarCast",
    "ScalarSummary",
    "ScalarToArray",
    "ScalarToTensor",
    "ScaleAndTranslate",
    "Scan",
    "ScatterAdd",
    "ScatterAddWithAxis",
    "ScatterDiv",
    "ScatterMax",
    "ScatterMin",
    "ScatterMul",
    "ScatterNd",
    "ScatterNdAdd",
    "ScatterNdDiv",
    "ScatterNdMax",
    "ScatterNdMin",
    "ScatterNdMul",
    "ScatterNdSub",
    "ScatterNdUpdate",
    "ScatterSub",
    "ScatterUpdate",
    "SeLU",
    "SearchSorted",
    "SegmentMax",
    "SegmentMean",
    "SegmentMin",
    "SegmentProd",
    "SegmentSum",
    "Select",
    "Send",
    "SetItem",
    "Shape",
    "SiLU",
    "Sigmoid",
    "SigmoidCrossEntropyWithLogits",
    "SigmoidGrad",
    "Sign",
    "Sin",
    "Sinc",
    "Sinh",
    "Size",
    "Slice",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "SoftShrink",
    "Softmax",
    "SoftmaxCrossEntropyWithLogits",
    "SoftmaxGrad",
    "Softplus",
    "Softsign",
    "Sort",
    "SpaceToBatch",
    "SpaceToBatchND",
    "SpaceToDepth",
    "SparseApplyAdadelta",
    "SparseApplyAdagrad",
    "SparseApplyAdagradV2",
    "SparseApplyFtrl",
    "SparseApplyFtrlV2",
    "SparseApplyProximalAdagrad",
    "SparseApplyRMSProp",
    "SparseGatherV2",
    "SparseSlice",
    "SparseSoftmaxCrossEntropyWithLogits",
    "SparseTensorDenseAdd",
    "SparseTensorDenseMatmul",
    "SparseToDense",
    "Split",
    "SplitV",
    "Sqrt",
    "Square",
    "SquareSumAll",
    "SquaredDifference",
    "Squeeze",
    "Stack",
    "StandardLaplace",
    "StandardNormal",
    "StopGradient",
    "StridedSlice",
    "Sub",
    "SubAndFilter",
    "Svd",
    "Tan",
    "Tanh",
    "TanhGrad",
    "TensorAdd",
    "TensorDump",
    "TensorScatterAdd",
    "TensorScatterDiv",
    "TensorScatterElements",
    "TensorScatterMax",
    "TensorScatterMin",
    "TensorScatterMul",
    "TensorScatterSub",
    "TensorScatterUpdate",
    "TensorShape",
    "TensorSummary",
    "TensorToTuple",
    "Tile",
    "TopK",
    "Trace",
    "Transpose",
    "TransposeView",
    "TridiagonalMatMul",
    "Tril",
    "TrilIndices",
    "TripletMarginLoss",
    "Triu",
    "TriuIndices",
    "Trunc",
    "TruncateDiv",
    "TruncateMod",
    "TruncatedNormal",
    "TupleToArray",
    "UniformCandidateSampler",
    "UniformInt",
    "UniformReal",
    "Unique",
    "UniqueConsecutive",
    "UniqueWithPad",
    "Unpack",
    "UnravelIndex",
    "UnsortedSegmentMax",
    "UnsortedSegmentMin",
    "UnsortedSegmentProd",
    "UnsortedSegmentSum",
    "Unstack",
    "UpperBound",
    "UpsampleNearest3D",
    "UpsampleTrilinear3D",
    "WeightedScan",
    "WhileLoop",
    "Xdivy",
    "Xlogy",
    "Zeros",
    "ZerosLike",
    "Zeta",
    "abs",
    "absolute",
    "accumulate_n",
    "acos",
    "acosh",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "add",
    "add_flags",
    "add_layer_norm",
    "add_rms_norm",
    "addbmm",
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "addn",
    "addr",
    "adjoint",
    "affine_grid",
    "all",
    "amax",
    "amin",
    "aminmax",
    "angle",
    "any",
    "approximate_equal",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmax_with_value",
    "argmin",
    "argmin_with_value",
    "argsort",
    "argwhere",
    "asin",
    "asinh",
    "assign",
    "assign_add",
    "assign_sub",
    "atan",
    "atan2",
    "atanh",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "baddbmm",
    "bartlett_window",
    "batch_dot",
    "batch_norm",
    "batch_to_space_nd",
    "bernoulli",
    "bernoulli_",
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "bessel_j0",
    "bessel_j1",
    "bessel_k0",
    "bessel_k0e",
    "bessel_k1",
    "bessel_k1e",
    "bessel_y0",
    "bessel_y1",
    "bias_add",
    "bidense",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "bincount",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "blackman_window",
    "block_diag",
    "bmm",
    "bounding_box_decode",
    "bounding_box_encode",
    "broadcast_to",
    "bucketize",
    "cartesian_prod",
    "cast",
    "cat",
    "cdist",
    "ceil",
    "celu",
    "channel_shuffle",
    "check_valid",
    "choice_with_mask",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "chunk",
    "clamp",
    "clamp_",
    "clip",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "coalesce",
    "col2im",
    "column_stack",
    "combinations",
    "concat",
    "concatenate",
    "cond",
    "conj",
    "constexpr",
    "control_depend",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv3d_transpose",
    "coo2csr",
    "coo_abs",
    "coo_acos",
    "coo_acosh",
    "coo_add",
    "coo_asin",
    "coo_asinh",
    "coo_atan",
    "coo_atanh",
    "coo_ceil",
    "coo_concat",
    "coo_cos",
    "coo_cosh",
    "coo_exp",
    "coo_expm1",
    "coo_floor",
    "coo_inv",
    "coo_isfinite",
    "coo_isinf",
    "coo_isnan",
    "coo_log",
    "coo_log1p",
    "coo_neg",
    "coo_relu",
    "coo_relu6",
    "coo_round",
    "coo_sigmoid",
    "coo_sin",
    "coo_sinh",
    "coo_softsign",
    "coo_sqrt",
    "coo_square",
    "coo_tan",
    "coo_tanh",
    "coo_tensor_get_dense_shape",
    "coo_tensor_get_indices",
    "coo_tensor_get_values",
    "copysign",
    "core",
    "cos",
    "cosh",
    "cosine_embedding_loss",
    "cosine_similarity",
    "count_nonzero",
    "cov",
    "crop_and_resize",
    "cross",
    "cross_entropy",
    "csr2coo",
    "csr_abs",
    "csr_acos",
    "csr_acosh",
    "csr_add",
    "csr_asin",
    "csr_asinh",
    "csr_atan",
    "csr_atanh",
    "csr_ceil",
    "csr_cos",
    "csr_cosh",
    "csr_div",
    "csr_exp",
    "csr_expm1",
    "csr_floor",
    "csr_gather",
    "csr_inv",
    "csr_isfinite",
    "csr_isinf",
    "csr_isnan",
    "csr_log",
    "csr_log1p",
    "csr_mm",
    "csr_mul",
    "csr_mv",
    "csr_neg",
    "csr_reduce_sum",
    "csr_relu",
    "csr_relu6",
    "csr_round",
    "csr_sigmoid",
    "csr_sin",
    "csr_sinh",
    "csr_softmax",
    "csr_softsign",
    "csr_sqrt",
    "csr_square",
    "csr_tan",
    "csr_tanh",
    "csr_tensor_get_dense_shape",
    "csr_tensor_get_indices",
    "csr_tensor_get_indptr",
    "csr_tensor_get_values",
    "csr_to_coo",
    "csr_to_dense",
    "ctc_greedy_decoder",
    "ctc_loss",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "custom_info_register",
    "deepcopy",
    "deformable_conv2d",
    "deg2rad",
    "dense",
    "dense_to_sparse_coo",
    "dense_to_sparse_csr",
    "depend",
    "derivative",
    "det",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_scatter",
    "diff",
    "digamma",
    "dist",
    "div",
    "divide",
    "dot",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "dsplit",
    "dstack",
    "dtype",
    "dyn_shape",
    "eig",
    "eigvals",
    "einsum",
    "elu",
    "embedding",
    "eps",
    "eq",
    "equal",
    "erf",
    "erfc",
    "erfinv",
    "erfinv_",
    "exp",
    "exp2",
    "expand",
    "expand_as",
    "expand_dims",
    "expm1",
    "exponential_",
    "eye",
    "fast_gelu",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "fill",
    "fill_diagonal",
    "fills",
    "flash_attention_score",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "float_power",
    "floor",
    "floor_div",
    "floor_divide",
    "floor_mod",
    "floordiv",
    "floormod",
    "fmax",
    "fmin",
    "fmod",
    "fold",
    "frac",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "full",
    "full_like",
    "fused_infer_attention_score",
    "gamma",
    "gather",
    "gather_d",
    "gather_elements",
    "gather_nd",
    "gaussian_nll_loss",
    "gcd",
    "ge",
    "gelu",
    "geqrf",
    "ger",
    "get_grad",
    "glu",
    "grad",
    "greater",
    "greater_equal",
    "grid_sample",
    "group_norm",
    "gt",
    "gumbel_softmax",
    "hamming_window",
    "hann_window",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "heaviside",
    "hfft",
    "hfft2",
    "hfftn",
    "hinge_embedding_loss",
    "histc",
    "hsplit",
    "hstack",
    "huber_loss",
    "hypot",
    "i0",
    "identity",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "igamma",
    "igammac",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "imag",
    "incre_flash_attention",
    "index_add",
    "index_fill",
    "index_select",
    "inner",
    "inplace_add",
    "inplace_index_add",
    "inplace_sigmoid",
    "inplace_sub",
    "inplace_update",
    "interpolate",
    "intopk",
    "inv",
    "inverse",
    "invert",
    "iou",
    "irfft",
    "irfft2",
    "irfftn",
    "is_complex",
    "is_floating_point",
    "is_nonzero",
    "is_tensor",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "jacfwd",
    "jacrev",
    "jet",
    "jvp",
    "kaiser_window",
    "kernel",
    "kl_div",
    "kron",
    "l1_loss",
    "laplace",
    "layer_norm",
    "lcm",
    "ldexp",
    "le",
    "leaky_relu",
    "lerp",
    "less",
    "less_equal",
    "lgamma",
    "linearize",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_matrix_determinant",
    "log_softmax",
    "log_uniform_candidate_sampler",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logdet",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "logsigmoid",
    "logspace",
    "logsumexp",
    "lp_pool1d",
    "lp_pool2d",
    "lrn",
    "lstsq",
    "lt",
    "lu_solve",
    "lu_unpack",
    "make_range",
    "margin_ranking_loss",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "matmul",
    "matrix_band_part",
    "matrix_determinant",
    "matrix_diag",
    "matrix_diag_part",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_set_diag",
    "matrix_solve",
    "max",
    "max_pool2d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "maximum",
    "mean",
    "median",
    "meshgrid",
    "min",
    "minimum",
    "mirror_pad",
    "mish",
    "mixed_precision_cast",
    "mm",
    "moe_init_routing_v2",
    "moe_token_permute",
    "moe_token_unpermute",
    "move_to",
    "moveaxis",
    "movedim",
    "mse_loss",
    "msort",
    "mul",
    "multi_margin_loss",
    "multi_scale_deformable_attn_function",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "multinomial",
    "multinomial_with_replacement",
    "multiply",
    "mv",
    "mvlgamma",
    "nan_to_num",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "nansum",
    "narrow",
    "ne",
    "neg",
    "negative",
    "new_ones",
    "new_zeros",
    "nextafter",
    "nll_loss",
    "nonzero",
    "norm",
    "normal",
    "normal_",
    "not_equal",
    "numel",
    "one_hot",
    "ones",
    "ones_like",
    "orgqr",
    "ormqr",
    "outer",
    "pad",
    "padding",
    "partial",
    "pdist",
    "permute",
    "pick",
    "pinv",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson",
    "polar",
    "polygamma",
    "population_count",
    "positive",
    "pow",
    "pows",
    "prelu",
    "prim_attr_register",
    "print_",
    "prod",
    "prompt_flash_attention",
    "ptp",
    "put_",
    "qr",
    "quantile",
    "rad2deg",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "random_",
    "random_categorical",
    "random_gamma",
    "random_poisson",
    "randperm",
    "range",
    "rank",
    "ravel",
    "real",
    "reciprocal",
    "reduce_all",
    "reduce_any",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "relu",
    "relu6",
    "remainder",
    "renorm",
    "repeat_elements",
    "repeat_interleave",
    "reshape",
    "reshape_",
    "reverse",
    "reverse_sequence",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
    "ring_attention_update",
    "rint",
    "rms_norm",
    "roll",
    "rot90",
    "rotary_position_embedding",
    "rotated_iou",
    "round",
    "row_stack",
    "rrelu",
    "rsqrt",
    "scalar_cast",
    "scalar_to_array",
    "scalar_to_tensor",
    "scatter",
    "scatter_add",
    "scatter_div",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_nd",
    "scatter_nd_add",
    "scatter_nd_div",
    "scatter_nd_max",
    "scatter_nd_min",
    "scatter_nd_mul",
    "scatter_nd_sub",
    "scatter_nd_update",
    "scatter_update",
    "searchsorted",
    "select",
    "select_scatter",
    "selu",
    "sequence_mask",
    "sgn",
    "shape",
    "shape_",
    "shape_mul",
    "shuffle",
    "sigmoid",
    "sign",
    "signbit",
    "silu",
    "sin",
    "sinc",
    "sinh",
    "size",
    "slice",
    "slice_scatter",
    "slogdet",
    "smooth_l1_loss",
    "soft_margin_loss",
    "soft_shrink",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "sort",
    "space_to_batch_nd",
    "sparse_segment_mean",
    "speed_fusion_attention",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "standard_laplace",
    "standard_normal",
    "std",
    "std_mean",
    "stft",
    "stop_gradient",
    "stop_gradient_",
    "strided_slice",
    "sub",
    "subtract",
    "sum",
    "svd",
    "swapaxes",
    "swapdims",
    "swiglu",
    "t",
    "take",
    "tan",
    "tanh",
    "tanh_",
    "tanhshrink",
    "tensor_add",
    "tensor_div",
    "tensor_dot",
    "tensor_exp",
    "tensor_expm1",
    "tensor_floordiv",
    "tensor_ge",
    "tensor_gt",
    "tensor_le",
    "tensor_lt",
    "tensor_mod",
    "tensor_mul",
    "tensor_muls",
    "tensor_pow",
    "tensor_range",
    "tensor_scatter_add",
    "tensor_scatter_div",
    "tensor_scatter_elements",
    "tensor_scatter_max",
    "tensor_scatter_min",
    "tensor_scatter_mul",
    "tensor_scatter_sub",
    "tensor_scatter_update",
    "tensor_slice",
    "tensor_split",
    "tensor_sub",
    "tensordump",
    "threshold",
    "tile",
    "top_k",
    "topk",
    "trace",
    "transpose",
    "trapz",
    "tril",
    "tril_indices",
    "triplet_margin_loss",
    "triu",
    "triu_indices",
    "true_divide",
    "trunc",
    "truncate_div",
    "truncate_mod",
    "tuple_len",
    "tuple_to_array",
    "type_as",
    "typeof",
    "unbind",
    "unfold",
    "uniform",
    "uniform_",
    "uniform_candidate_sampler",
    "unique",
    "unique_consecutive",
    "unique_with_pad",
    "unsorted_segment_max",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sum",
    "unsqueeze",
    "unstack",
    "upsample",
    "value_and_grad",
    "vander",
    "var",
    "var_mean",
    "vecdot",
    "vector_norm",
    "view_as",
    "view_as_real",
    "vjp",
    "vmap",
    "vsplit",
    "vstack",
    "where",
    "xdivy",
    "xlogy",
    "zero_",
    "zeros",
    "zeros_like",
    "zeta",
]
