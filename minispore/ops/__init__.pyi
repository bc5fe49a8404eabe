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
from minispore.ops.linalg.least_squares import RowsOfPivots as RowsOfPivots
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

def abs(input: Tensor) -> Tensor:
    """|input|; the modulus of a complex input stays complex (``ComplexAbs`` is real). The slope at 0
    is 0.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def absolute(input: Tensor) -> Tensor:
    """|input|; the modulus of a complex input stays complex (``ComplexAbs`` is real). The slope at 0
    is 0.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def accumulate_n(x: Any) -> Tensor:
    """The sum of a tuple of tensors of one shape and dtype.

    ``AccumulateNV2`` of the tensors ``x``.

    Args:
        x (Tensor): what is computed on.

    Returns:
        Tensor, float32."""
def acos(input: Tensor) -> Tensor:
    """The angle in [0, pi] whose cosine is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def acosh(input: Tensor) -> Tensor:
    """The number >= 0 whose hyperbolic cosine is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Average each of ``output_size`` windows of ``input`` (N, C, L) or (C, L).

    Args:
        input (Tensor): floats, integers and bool.
        output_size (int or tuple of int): of the result; None keeps an axis as it is.

    Returns:
        Tensor of the dtype of ``input``."""
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Average each of ``output_size`` windows of ``input`` (N, C, H, W) or (C, H, W).

    Args:
        input (Tensor): floats, integers and bool.
        output_size (int or tuple of int): of the result; None keeps an axis as it is.

    Returns:
        Tensor of the dtype of ``input``."""
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """Average each of ``output_size`` windows of ``input`` (N, C, D, H, W) or (C, D, H,
    W).

    Args:
        input (Tensor): floats, integers and bool.
        output_size (int or tuple of int): of the result; None keeps an axis as it is.

    Returns:
        Tensor of the dtype of ``input``."""
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Take the largest element of each of ``output_size`` windows of ``input`` (N, C, L)
    or (C, L).

    Args:
        input (Tensor): floats, integers and bool.
        output_size (int or tuple of int): of the result; None keeps an axis as it is.

    Returns:
        Tensor of the dtype of ``input``."""
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = ...) -> Any:
    """Take the largest element of each of ``output_size`` windows, and its flat index if
    asked for.

    Args:
        input (Tensor): floats, integers and bool.
        output_size (int or tuple of int): of the result; None keeps an axis as it is.
        return_indices (bool): whether the places come, too. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = ...) -> Any:
    """Take the largest element of each of ``output_size`` windows, and its flat index if
    asked for.

    Args:
        input (Tensor): floats, integers and bool.
        output_size (int or tuple of int): of the result; None keeps an axis as it is.
        return_indices (bool): whether the places come, too. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def add(input: Any, other: Any) -> Tensor:
    """input + other.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def add_flags(fn: Callable[..., Any] | None = ..., **flags: Any) -> Any:
    """Set ``flags`` on a function or Cell; without ``fn``, return a decorator that does.

    Args:
        fn (function): that is marked. Default: None.
        **flags: what the function is marked with.

    Returns:
        function."""
def add_layer_norm(x1: Tensor, x2: Tensor, gamma: Tensor, beta: Tensor, epsilon: float = ..., additional_output: bool = ...) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The layer norm of x1 + x2 over the last axis, in float32.

    Gradients go through the norm, and the sum if it was asked for, as MindSpore's do.

    Args:
        x1 (Tensor): (*, N), of float16, bfloat16 or float32.
        x2 (Tensor): like ``x1``.
        gamma (Tensor): (N,).
        beta (Tensor): (N,).
        epsilon (float): added to the variance. Default: 1e-05.
        additional_output (bool): whether the sum is wanted; else it is 0. Default: False.

    Returns:
        ``(y, mean, 1 / sqrt(variance + epsilon), x1 + x2)``; mean and the next have float32, and
        length 1 along N."""
def add_rms_norm(x1: Tensor, x2: Tensor, gamma: Tensor, epsilon: float = ...) -> tuple[Tensor, Tensor, Tensor]:
    """The RMS norm of x1 + x2: (x1 + x2) / sqrt(mean((x1 + x2)^2) + epsilon) * gamma.

    Gradients go through the norm alone, as MindSpore's do: none comes from the other two outputs.
    Where the sum goes on beside its norm, as in a residual block, add x1 and x2 once more.

    Args:
        x1 (Tensor): (*, R), of float16, bfloat16 or float32.
        x2 (Tensor): like ``x1``.
        gamma (Tensor): of the last axes of ``x1``, R, which are normalised.
        epsilon (float): in (0, 1]. Default: 1e-06.

    Returns:
        ``(y, 1 / sqrt(mean((x1 + x2)^2) + epsilon), x1 + x2)``; the second has float32, and length
        1 along R."""
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = ..., alpha: Any = ...) -> Tensor:
    """beta * input + alpha * the sum of batch1[i] @ batch2[i].

    Args:
        input (Tensor): floats, integers and complex64.
        batch1 (Tensor): a stack of matrices (B, M, N).
        batch2 (Tensor): a stack of matrices (B, M, N).
        beta (number): the factor of the first operand. Default: 1.
        alpha (number): the factor. Default: 1.

    Returns:
        Tensor of the dtype of ``input``; int64 for int32 and uint8."""
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any = ...) -> Tensor:
    """input + value * tensor1 / tensor2; of int64 without the fractions.

    ``Addcdiv``: input + value * tensor1 / tensor2.

    Args:
        input (Tensor): floats and int64.
        tensor1 (Tensor): one of the two whose product or quotient is added.
        tensor2 (Tensor): one of the two whose product or quotient is added.
        value (Tensor or number): what is written or filled in. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any = ...) -> Tensor:
    """input + value * tensor1 * tensor2; of integers, value is a whole number.

    ``Addcmul``: input + value * tensor1 * tensor2.

    Args:
        input (Tensor): floats and integers.
        tensor1 (Tensor): one of the two whose product or quotient is added.
        tensor2 (Tensor): one of the two whose product or quotient is added.
        value (Tensor or number): what is written or filled in. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = ..., alpha: float = ...) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2).

    Args:
        input (Tensor): floats, integers and complex64.
        mat1 (Tensor): a matrix (M, N), or several.
        mat2 (Tensor): a matrix (M, N), or several.
        beta (number): the factor of the first operand. Default: 1.
        alpha (number): the factor. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = ..., alpha: Any = ...) -> Tensor:
    """beta * input + alpha * mat @ vec.

    Args:
        input (Tensor): floats, integers and complex64.
        mat (Tensor): a matrix (M, N), or several.
        vec (Tensor): a vector.
        beta (number): the factor of the first operand. Default: 1.
        alpha (number): the factor. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def addn(x: Any) -> Tensor:
    """The sum of a tuple of tensors of one shape and dtype.

    ``AddN`` of the tensors ``x``.

    Args:
        x (Tensor): what is computed on.

    Returns:
        Tensor, float32."""
def addr(x: Tensor, vec1: Tensor, vec2: Tensor, beta: Any = ..., alpha: Any = ...) -> Tensor:
    """beta * x + alpha * the outer product of vec1 and vec2.

    Args:
        x (Tensor): any dtype.
        vec1 (Tensor): a vector.
        vec2 (Tensor): a vector.
        beta (number): the factor of the first operand. Default: 1.
        alpha (number): the factor. Default: 1.

    Returns:
        Tensor of the dtype of ``x``."""
def adjoint(x: Tensor) -> Tensor:
    """The conjugate of the last two axes swapped.

    Args:
        x (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``x``."""
def affine_grid(theta: Tensor, size: Any, align_corners: bool = ...) -> Tensor:
    """The grid of an affine map, for ``grid_sample``.

    Args:
        theta (Tensor): a matrix (2, 3) or (3, 4) for each image; floats, integers and complex64.
        size (tuple of int): of the images, (N, C, H, W) or (N, C, D, H, W).
        align_corners (bool): whether the centres of the corner pixels stay where they are. Default:
            False.

    Returns:
        Tensor of the dtype of ``theta``."""
def all(input: Tensor, axis: Any = ..., keep_dims: bool = ...) -> Tensor:
    """Whether all elements along ``axis`` are true.

    Args:
        input (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        keep_dims (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor, bool."""
def amax(input: Tensor, axis: Any = ..., keepdims: bool = ..., *, initial: Any = ..., where: Any = ...) -> Tensor:
    """The greatest element along ``axis`` and ``initial``, among those that ``where`` picks.

    Args:
        input (Tensor): floats and integers.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.
        initial (number): what the comparison starts from. Default: None.
        where (Tensor): bool; the elements that count. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def amin(input: Tensor, axis: Any = ..., keepdims: bool = ..., *, initial: Any = ..., where: Any = ...) -> Tensor:
    """The smallest element along ``axis`` and ``initial``, among those that ``where`` picks.

    Args:
        input (Tensor): floats and integers.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.
        initial (number): what the comparison starts from. Default: None.
        where (Tensor): bool; the elements that count. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def aminmax(input: Tensor, *, axis: Any = ..., keepdims: bool = ...) -> tuple[Tensor, Tensor]:
    """The smallest and the greatest element along ``axis``; the first of equals has the gradient.

    Without an axis all that are equal share it.

    Args:
        input (Tensor): what is computed on.
        axis (int): the axis along which it works; negative ones count from the last. Default: 0.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        tuple of 2 Tensors, each float32."""
def angle(input: Tensor) -> Tensor:
    """The angle of a complex number; 0 or pi for a real one.

    Args:
        input (Tensor): floats and complex64.

    Returns:
        Tensor of the dtype of ``input``; float32 for complex64."""
def any(input: Tensor, axis: Any = ..., keep_dims: bool = ...) -> Tensor:
    """Whether any element along ``axis`` is true.

    Args:
        input (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        keep_dims (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor of the dtype of ``input``; bool for floats, int32, int64 and complex64."""
def approximate_equal(x: Tensor, y: Any, tolerance: float = ...) -> Tensor:
    """|x - y| < tolerance.

    Args:
        x (Tensor): floats and integers.
        y (Tensor or number): the second operand; its shape broadcasts with that of the first.
        tolerance (float): how much they may differ. Default: 1e-05.

    Returns:
        Tensor, bool."""
def arange(start: Any = ..., end: Any = ..., step: Any = ..., *, dtype: Any = ...) -> Tensor:
    """Return start, start + step, ... below ``end``; with one argument, from 0 below it.

    Args:
        start (number): the first. Default: 0.
        end (number): where it ends. Default: None.
        step (number): from one to the next. Default: 1.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, int64."""
def arccos(input: Tensor) -> Tensor:
    """The angle in [0, pi] whose cosine is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def arccosh(input: Tensor) -> Tensor:
    """The number >= 0 whose hyperbolic cosine is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def arcsin(x: Tensor) -> Tensor:
    """The angle in [-pi/2, pi/2] whose sine is x.

    Args:
        x (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def arcsinh(input: Tensor) -> Tensor:
    """The number whose hyperbolic sine is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def arctan(input: Tensor) -> Tensor:
    """The angle in (-pi/2, pi/2) whose tangent is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def arctan2(input: Any, other: Any) -> Tensor:
    """The angle in (-pi, pi] of the point (other, input): atan(input / other), in the right quadrant.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def arctanh(input: Tensor) -> Tensor:
    """The number whose hyperbolic tangent is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def argmax(input: Tensor, dim: int | None = ..., keepdim: bool = ...) -> Tensor:
    """The index (int64) of the greatest element along ``dim``, or in the flattened tensor.

    Args:
        input (Tensor): floats, integers and bool.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor, int64."""
def argmax_with_value(x: Tensor, axis: int | None = ..., keep_dims: bool = ...) -> tuple[Tensor, Tensor]:
    """The greatest element along ``axis``, and its index; among all, if the axis is None.

    Args:
        x (Tensor): what is computed on.
        axis (int): the axis along which it works; negative ones count from the last. Default: 0.
        keep_dims (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        tuple of 2 Tensors, float32, int64."""
def argmin(input: Tensor, axis: int | None = ..., keepdims: bool = ...) -> Tensor:
    """The index (int32; of a number int64) of the smallest element along ``axis``, or in the
    flattened tensor.

    Args:
        input (Tensor): floats, integers and bool.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor, int32."""
def argmin_with_value(x: Tensor, axis: int | None = ..., keep_dims: bool = ...) -> tuple[Tensor, Tensor]:
    """The smallest element along ``axis``, and its index; among all, if the axis is None.

    Args:
        x (Tensor): what is computed on.
        axis (int): the axis along which it works; negative ones count from the last. Default: 0.
        keep_dims (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        tuple of 2 Tensors, float32, int64."""
def argsort(input: Tensor, axis: int = ..., descending: bool = ..., stable: bool = ...) -> Tensor:
    """The indices that sort ``input`` along ``axis``.

    Args:
        input (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last. Default: -1.
        descending (bool): whether the greatest comes first. Default: False.
        stable (bool): whether equal elements keep their order. Default: True.

    Returns:
        Tensor, int32."""
def argwhere(input: Tensor) -> Tensor:
    """The coordinates of the elements that are not zero.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor, int64."""
def asin(input: Tensor) -> Tensor:
    """The angle in [-pi/2, pi/2] whose sine is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def asinh(input: Tensor) -> Tensor:
    """The number whose hyperbolic sine is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def assign(variable: Any, value: Any) -> Any:
    """Write ``value`` to the Parameter ``variable``.

    Args:
        variable (Parameter): what is written to.
        value (Tensor or number): what is written or filled in.

    Returns:
        Tensor, float32."""
def assign_add(variable: Any, value: Any) -> Any:
    """Add ``value`` to the Parameter ``variable``, in place.

    Args:
        variable (Parameter): what is written to.
        value (Tensor or number): what is written or filled in.

    Returns:
        Tensor, float32."""
def assign_sub(variable: Any, value: Any) -> Any:
    """Subtract ``value`` from the Parameter ``variable``, in place.

    Args:
        variable (Parameter): what is written to.
        value (Tensor or number): what is written or filled in.

    Returns:
        Tensor, float32."""
def atan(input: Tensor) -> Tensor:
    """The angle in (-pi/2, pi/2) whose tangent is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def atan2(input: Any, other: Any) -> Tensor:
    """The angle in (-pi, pi] of the point (other, input): atan(input / other), in the right quadrant.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def atanh(input: Tensor) -> Tensor:
    """The number whose hyperbolic tangent is input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def atleast_1d(inputs: Any) -> Any:
    """Return a tensor, or each of several, with at least 1 axis.

    Args:
        inputs (Tensor, or tuple or list of Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``inputs``."""
def atleast_2d(inputs: Any) -> Any:
    """Return a tensor, or each of several, with at least 2 axes.

    Args:
        inputs (Tensor, or tuple or list of Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``inputs``."""
def atleast_3d(inputs: Any) -> Any:
    """Return a tensor, or each of several, with at least 3 axes.

    Args:
        inputs (Tensor, or tuple or list of Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``inputs``."""
def avg_pool1d(input_x: Tensor, kernel_size: int = ..., stride: int = ..., padding: Any = ..., ceil_mode: bool = ..., count_include_pad: bool = ...) -> Tensor:
    """Average each window of x (N, C, L).

    Args:
        input_x (Tensor): floats.
        kernel_size (int or tuple of int): the window, one number or one for each axis. Default: 1.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            1.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        ceil_mode (bool): whether a last window that reaches over the border counts. Default: False.
        count_include_pad (bool): whether added zeros count in a mean. Default: True.

    Returns:
        Tensor of the dtype of ``input_x``."""
def avg_pool2d(x: Tensor, kernel_size: Any = ..., stride: Any = ..., padding: Any = ..., ceil_mode: bool = ..., count_include_pad: bool = ..., divisor_override: int = ...) -> Tensor:
    """Average each window of x (N, C, H, W).

    Args:
        x (Tensor): floats.
        kernel_size (int or tuple of int): the window, one number or one for each axis. Default: 1.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            1.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        ceil_mode (bool): whether a last window that reaches over the border counts. Default: False.
        count_include_pad (bool): whether added zeros count in a mean. Default: True.
        divisor_override (int): what sums are divided by; 0 or None takes the window's size.
            Default: 0.

    Returns:
        Tensor of the dtype of ``x``."""
def avg_pool3d(input_x: Tensor, kernel_size: Any = ..., stride: Any = ..., padding: Any = ..., ceil_mode: bool = ..., count_include_pad: bool = ..., divisor_override: int = ...) -> Tensor:
    """Average each window of x (N, C, D, H, W).

    Args:
        input_x (Tensor): floats.
        kernel_size (int or tuple of int): the window, one number or one for each axis. Default: 1.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            1.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        ceil_mode (bool): whether a last window that reaches over the border counts. Default: False.
        count_include_pad (bool): whether added zeros count in a mean. Default: True.
        divisor_override (int): what sums are divided by; 0 or None takes the window's size.
            Default: 0.

    Returns:
        Tensor of the dtype of ``input_x``."""
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, beta: float = ..., alpha: float = ...) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2) for stacks of matrices.

    Args:
        input (Tensor): floats, integers and complex64.
        batch1 (Tensor): a stack of matrices (B, M, N).
        batch2 (Tensor): a stack of matrices (B, M, N).
        beta (number): the factor of the first operand. Default: 1.
        alpha (number): the factor. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def bartlett_window(window_length: Any, periodic: bool = ..., *, dtype: Any = ...) -> Tensor:
    """1 - |2x - 1|: a triangle.

    ``BartlettWindow`` of ``window_length`` weights.

    Args:
        window_length (int): how many points; integers.
        periodic (bool): whether the window is one period of a longer one, not symmetric. Default:
            True.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, float32."""
def batch_dot(x1: Tensor, x2: Tensor, axes: Any = ...) -> Tensor:
    """For each sample the products of ``x1`` and ``x2``, summed along one axis of each: the other
    axes of ``x1`` and then those of ``x2`` remain. Of two matrices, one number for each sample.

    Args:
        x1 (Tensor): of at least two axes; the first is that of the samples; float32.
        x2 (Tensor): of as many samples.
        axes: one axis for both, or two; None: the last of ``x1``, the last but one of ``x2`` (the
            last, if ``x2`` is a matrix). Default: None.

    Returns:
        Tensor, float32."""
def batch_norm(input_x: Tensor, running_mean: Tensor, running_var: Tensor, weight: Tensor, bias: Tensor, training: bool = ..., momentum: float = ..., eps: float = ...) -> Tensor:
    """(input_x - weight) / sqrt(bias + epsilon) * running_mean + running_var, per channel.

    Training uses the batch's own weight and bias, and moves ``weight`` and ``bias`` towards
    them by ``momentum`` (the bias towards the unbiased one).

    Args:
        input_x (Tensor): the features (N, C, ...); floats.
        running_mean (Tensor): the mean of each channel.
        running_var (Tensor): the variance of each channel.
        weight (Tensor): the learned factor of each channel.
        bias (Tensor): what is added to each channel.
        training (bool): whether it is a training, not an evaluation. Default: False.
        momentum (float): how far the given statistics move in training. Default: 0.1.
        eps (float): a small number that keeps the divisor from zero. Default: 1e-05.

    Returns:
        Tensor of the dtype of ``input_x``."""
def batch_to_space_nd(input_x: Tensor, block_shape: Any, crops: Any) -> Tensor:
    """Move the batch axis into blocks of space and crop the result.

    Args:
        input_x (Tensor): any dtype.
        block_shape (int or tuple of int): the block that batches are put into.
        crops (tuple of tuple): how much is cut off before and after, axis by axis.

    Returns:
        Tensor of the dtype of ``input_x``."""
def bernoulli(input: Tensor, p: Any = ..., seed: int | None = ...) -> Tensor:
    """1 with probability ``p``, else 0, in the shape of ``input``.

    Args:
        input (Tensor): any dtype.
        p (float): the power of the norm. Default: 0.5.
        seed (int | None): -1 for the common stream; else each call draws the same. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def bernoulli_(input: Tensor, p: Any = ..., *, generator: Any = ...) -> Tensor:
    """Make ``input`` 1 with probability ``p``, else 0; returns it.

    Args:
        input (Tensor): any dtype.
        p (float): the power of the norm. Default: 0.5.
        generator: the stream of random numbers; None draws from the global one. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def bessel_i0(x: Tensor) -> Tensor:
    """I_0(x).

    Args:
        x (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def bessel_i0e(x: Tensor) -> Tensor:
    """e^-|x| I_0(x).

    Args:
        x (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def bessel_i1(x: Tensor) -> Tensor:
    """I_1(x).

    Args:
        x (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def bessel_i1e(x: Tensor) -> Tensor:
    """e^-|x| I_1(x).

    Args:
        x (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def bessel_j0(x: Tensor) -> Tensor:
    """J_0(x).

    Args:
        x (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def bessel_j1(x: Tensor) -> Tensor:
    """J_1(x).

    Args:
        x (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def bessel_k0(x: Tensor) -> Tensor:
    """K_0(x).

    Args:
        x (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def bessel_k0e(x: Tensor) -> Tensor:
    """e^x K_0(x).

    Args:
        x (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def bessel_k1(x: Tensor) -> Tensor:
    """K_1(x).

    Args:
        x (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def bessel_k1e(x: Tensor) -> Tensor:
    """e^x K_1(x).

    Args:
        x (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def bessel_y0(x: Tensor) -> Tensor:
    """Y_0(x).

    Args:
        x (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def bessel_y1(x: Tensor) -> Tensor:
    """Y_1(x).

    Args:
        x (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def bias_add(input_x: Tensor, bias: Tensor) -> Tensor:
    """input_x + bias along the channel axis (axis 1, or the last one in NHWC).

    Args:
        input_x (Tensor): any dtype.
        bias (Tensor): what is added to each output channel; None adds nothing.

    Returns:
        Tensor of the dtype of ``input_x``."""
def bidense(input1: Tensor, input2: Tensor, weight: Tensor, bias: Any = ...) -> Tensor:
    """input1 @ weight[k] @ input2 for each k, + bias.

    Args:
        input1 (Tensor): one of the two that are multiplied; floats, integers and complex64.
        input2 (Tensor): one of the two that are multiplied.
        weight (Tensor): (channels out, channels in).
        bias (Tensor): what is added to each output channel; None adds nothing. Default: None.

    Returns:
        Tensor of the dtype of ``input1``."""
def binary_cross_entropy(logits: Tensor, labels: Tensor, weight: Any = ..., reduction: str = ...) -> Tensor:
    """-weight * (y * log(x) + (1 - y) * log(1 - x)) of probabilities x.

    ``BinaryCrossEntropy`` of probabilities ``logits`` and ``labels``.

    Args:
        logits (Tensor): what came out; floats.
        labels (Tensor): what should come out.
        weight (Tensor): how much each element counts. Default: None.
        reduction (str): "mean", "sum" or "none". Default: 'mean'.

    Returns:
        Tensor of the dtype of ``logits``."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Any = ..., pos_weight: Any = ..., reduction: str = ...) -> Tensor:
    """The cross entropy of sigmoid(x) and y, times weight; ``pos_weight`` weighs positive labels.
    float16 and float32 may be mixed: the loss has the dtype of y.

    Args:
        input (Tensor): floats.
        target (Tensor): what should come out.
        weight (Tensor): how much each element counts. Default: None.
        pos_weight (Tensor): how much the ones count in each class. Default: None.
        reduction (str): "mean", "sum" or "none". Default: 'mean'.

    Returns:
        Tensor of the dtype of ``input``."""
def bincount(input: Tensor, weights: Tensor | None = ..., minlength: int = ...) -> Tensor:
    """The number of times each of 0, 1, ... occurs, or the sum of its weights.

    Args:
        input (Tensor): integers.
        weights (Tensor): how much each element counts. Default: None.
        minlength (int): the least length of the result. Default: 0.

    Returns:
        Tensor, float32."""
def bitwise_and(input: Any, other: Any) -> Tensor:
    """input & other.

    Args:
        input (Tensor): integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def bitwise_left_shift(input: Any, other: Any) -> Tensor:
    """input << other.

    Args:
        input (Tensor): integers.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def bitwise_not(input: Tensor) -> Tensor:
    """~input.

    Args:
        input (Tensor): integers and bool.

    Returns:
        Tensor of the dtype of ``input``."""
def bitwise_or(input: Any, other: Any) -> Tensor:
    """input | other.

    Args:
        input (Tensor): integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def bitwise_right_shift(input: Any, other: Any) -> Tensor:
    """input >> other.

    Args:
        input (Tensor): integers.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def bitwise_xor(input: Any, other: Any) -> Tensor:
    """input ^ other.

    Args:
        input (Tensor): integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def blackman_window(window_length: Any, periodic: bool = ..., *, dtype: Any = ...) -> Tensor:
    """0.42 - 0.5 cos(2 pi x) + 0.08 cos(4 pi x).

    ``BlackmanWindow`` of ``window_length`` weights.

    Args:
        window_length (int): how many points; integers.
        periodic (bool): whether the window is one period of a longer one, not symmetric. Default:
            True.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, float32."""
def block_diag(*inputs: Tensor) -> Tensor:
    """Place matrices along the diagonal of a larger one, with zeros elsewhere.

    Args:
        *inputs (Tensor): the tensors, one argument each; any dtype.

    Returns:
        Tensor of the dtype of ``inputs``."""
def bmm(input_x: Tensor, mat2: Tensor) -> Tensor:
    """The product of two stacks of matrices: (B, M, K) @ (B, K, N).

    Args:
        input_x (Tensor): floats, integers and complex64.
        mat2 (Tensor): a matrix (M, N), or several.

    Returns:
        Tensor of the dtype of ``input_x``."""
def bounding_box_decode(anchor_box: Tensor, deltas: Tensor, max_shape: Any, means: Any = ..., stds: Any = ..., wh_ratio_clip: float = ...) -> Tensor:
    """Decode the boxes that ``deltas`` encode relative to their anchors.

    Args:
        anchor_box (Tensor): boxes (N, 4) as corners x0, y0, x1, y1; floats.
        deltas (Tensor): how the boxes differ from their anchors.
        max_shape (tuple of int): height and width that boxes are cut to.
        means (tuple of float): what the differences are normalised by. Default: (0.0, 0.0, 0.0,
            0.0).
        stds (tuple of float): what the differences are normalised by. Default: (1.0, 1.0, 1.0,
            1.0).
        wh_ratio_clip (float): how much a box may become wider or higher. Default: 0.016.

    Returns:
        Tensor of the dtype of ``anchor_box``."""
def bounding_box_encode(anchor_box: Tensor, groundtruth_box: Tensor, means: Any = ..., stds: Any = ...) -> Tensor:
    """Encode ground-truth boxes relative to their anchors.

    Args:
        anchor_box (Tensor): boxes (N, 4) as corners x0, y0, x1, y1; floats.
        groundtruth_box (Tensor): the true boxes (N, 4) as corners.
        means (tuple of float): what the differences are normalised by. Default: (0.0, 0.0, 0.0,
            0.0).
        stds (tuple of float): what the differences are normalised by. Default: (1.0, 1.0, 1.0,
            1.0).

    Returns:
        Tensor of the dtype of ``anchor_box``."""
def broadcast_to(input: Tensor, shape: Any) -> Tensor:
    """Repeat ``input`` along axes of length 1 to ``shape``.

    Args:
        input (Tensor): any dtype.
        shape (tuple of int): of the result; -1 keeps an axis as it is.

    Returns:
        Tensor of the dtype of ``input``."""
def bucketize(input: Tensor, boundaries: Any, *, right: bool = ...) -> Tensor:
    """Which of the intervals between ``boundaries`` each element lies in.

    Args:
        input (Tensor): the elements, a Tensor; any dtype.
        boundaries: increasing numbers.
        right (bool): whether a boundary belongs to the interval above it, not to the one below.
            Default: False.

    Returns:
        Tensor, int32."""
def cartesian_prod(*inputs: Tensor) -> Tensor:
    """Return all tuples with one element of each vector, a row each.

    Args:
        *inputs (Tensor): the tensors, one argument each; any dtype.

    Returns:
        Tensor of the dtype of ``inputs``."""
def cast(input: Any, dtype: Any) -> Tensor:
    """Cast ``input`` to ``dtype``.

    Args:
        input (Tensor): any dtype.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none.

    Returns:
        Tensor, float32."""
def cat(tensors: Any, axis: int = ...) -> Tensor:
    """Join tensors end to end along ``axis``.

    Args:
        tensors (tuple or list of Tensor): the tensors.
        axis (int): the axis along which it works; negative ones count from the last. Default: 0.

    Returns:
        Tensor, int64."""
def cdist(x1: Tensor, x2: Tensor, p: float = ...) -> Tensor:
    """The p-norm distance between each row of x1 and each row of x2.

    Args:
        x1 (Tensor): points (..., P, M) and (..., R, M); floats.
        x2 (Tensor): points (..., P, M) and (..., R, M).
        p (float): the power of the distance. Default: 2.0.

    Returns:
        Tensor of the dtype of ``x1``."""
def ceil(input: Tensor) -> Tensor:
    """The smallest whole number >= input.

    Args:
        input (Tensor): floats and integers.

    Returns:
        Tensor of the dtype of ``input``."""
def celu(x: Tensor, alpha: float = ...) -> Tensor:
    """x where x > 0, else alpha * (e^(x / alpha) - 1).

    Args:
        x (Tensor): floats.
        alpha (number): the factor. Default: 1.0.

    Returns:
        Tensor of the dtype of ``x``."""
def channel_shuffle(x: Tensor, groups: int) -> Tensor:
    """Interleave the channels of ``groups`` groups.

    Args:
        x (Tensor): any dtype.
        groups (int): into how many groups the channels are split.

    Returns:
        Tensor of the dtype of ``x``."""
def check_valid(bboxes: Tensor, img_metas: Tensor) -> Tensor:
    """Whether each box lies inside the image.

    Args:
        bboxes (Tensor): boxes (N, 4) as corners x0, y0, x1, y1; float16, float32 and uint8.
        img_metas (Tensor): height, width and scale of the image.

    Returns:
        Tensor, bool."""
def choice_with_mask(input_x: Tensor, count: int = ..., seed: int | None = ...) -> tuple[Tensor, Tensor]:
    """``count`` positions where input_x is true, in random order, and a mask of the rows in use.

    Args:
        input_x (Tensor): bool; the places that can be drawn.
        count (int): how many places are drawn. Default: 256.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.

    Returns:
        tuple of 2 Tensors, int32, bool."""
def cholesky(input_x: Tensor, upper: bool = ...) -> Tensor:
    """The lower triangle L with input_x = L @ L^T, or (``upper``) L^T; input_x is positive definite.

    Of a matrix that is not symmetric, the symmetric part counts.

    Args:
        input_x (Tensor): matrices (..., N, N), symmetric and positive; floats.
        upper (bool): whether the factor is the upper triangle. Default: False.

    Returns:
        Tensor of the dtype of ``input_x``."""
def cholesky_inverse(input_x: Tensor, upper: bool = ...) -> Tensor:
    """The inverse of L @ L^T, or (``upper``) of U^T @ U.

    Args:
        input_x (Tensor): matrices (..., N, N), symmetric and positive; floats.
        upper (bool): whether the factor is the upper triangle. Default: False.

    Returns:
        Tensor of the dtype of ``input_x``."""
def cholesky_solve(input: Tensor, input2: Tensor, upper: bool = ...) -> Tensor:
    """The x of ``L @ L^T @ x = input``, or (``upper``) of ``U^T @ U @ x = input``.

    ``CholeskySolve`` of ``input`` by the factor ``input2``.

    Args:
        input (Tensor): the right-hand side (N, K); floats.
        input2 (Tensor): the factor (N, N).
        upper (bool): whether the factor is the upper triangle. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def chunk(input: Tensor, chunks: int, axis: int = ...) -> tuple[Tensor, ...]:
    """Split a tensor into at most ``chunks`` parts of one length; the last may be shorter.

    Args:
        input (Tensor): what is computed on.
        chunks (int): how many parts.
        axis (int): the axis along which it works; negative ones count from the last. Default: 0.

    Returns:
        tuple of 3 Tensors, each float64."""
def clamp(input: Tensor, min: Any = ..., max: Any = ...) -> Tensor:
    """Clamp ``input`` between ``min`` and ``max``, tensors or numbers; either may be left
    out.

    Args:
        input (Tensor): floats and integers.
        min (Tensor or number): the least. Default: None.
        max (Tensor or number): the greatest. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def clamp_(input: Tensor, min: Any = ..., max: Any = ...) -> Tensor:
    """Limit the elements to [``min``, ``max``] in place; returns ``input``.

    Args:
        input (Tensor): floats.
        min (Tensor or number): the least. Default: None.
        max (Tensor or number): the greatest. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def clip(input: Tensor, min: Any = ..., max: Any = ...) -> Tensor:
    """Clamp ``input`` between ``min`` and ``max``, tensors or numbers; either may be left
    out.

    Args:
        input (Tensor): floats and integers.
        min (Tensor or number): the least. Default: None.
        max (Tensor or number): the greatest. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def clip_by_global_norm(x: Any, clip_norm: float = ..., use_norm: Any = ...) -> Any:
    """Scale tensors by clip_norm / max(norm of all together, clip_norm).

    Args:
        x: a list or tuple of tensors, or one tensor.
        clip_norm (float): the largest norm, above 0. Default: 1.0.
        use_norm: kept for MindSpore's sake: must be None. Default: None.

    Returns:
        A tuple (of one tensor: a tensor)."""
def clip_by_norm(x: Any, max_norm: float, norm_type: float = ..., error_if_nonfinite: bool = ...) -> Any:
    """Scale ``x`` by max_norm / (norm + 1e-6) where its norm is above ``max_norm``.

    Args:
        x: a tensor, or a list or tuple of them, which may differ in dtype: then the norm is that of
            all together. Integers are taken, and come back, as float32; floats, integers and bool.
        max_norm (float): the largest norm.
        norm_type (float): p of the p-norm; ``float("inf")`` for the maximum. Default: 2.0.
        error_if_nonfinite (bool): raise when the norm is NaN or infinite. Default: False.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def clip_by_value(x: Any, clip_value_min: Any = ..., clip_value_max: Any = ...) -> Any:
    """Clip x to the range from ``clip_value_min`` to ``clip_value_max``, in the dtype of x.

    Args:
        x: a tensor, or a list or tuple of them (then a tuple comes back); floats, integers and
            bool.
        clip_value_min: the lower bound, a number or tensor, or None. Default: None.
        clip_value_max: the upper bound, a number or tensor, or None. Default: None.

    Returns:
        Tensor of the dtype of ``x``."""
def coalesce(x_indices: Tensor, x_values: Tensor, x_shape: Tensor) -> Any:
    """One value for each place, the sum of all that stand there, in the order of the places.

    Args:
        x_indices (Tensor): int64 (axes, n): here a column is a place.
        x_values (Tensor): (n,).
        x_shape (Tensor): int64 (axes,).

    Returns:
        tuple of 3 Tensors, int64, float32, int64."""
def col2im(input_x: Tensor, output_size: Any, kernel_size: Any, dilation: Any, padding_value: Any, stride: Any) -> Tensor:
    """Columns (N, C, KH*KW, OH*OW) as an image, overlaps added.

    Args:
        input_x (Tensor): any dtype.
        output_size (tuple of int): height and width of the images.
        kernel_size (int or tuple of int): the window, one number or one for each axis.
        dilation (int or tuple of int): how far apart the elements of a window are.
        padding_value (int or tuple of int): how much is added at each side.
        stride (int or tuple of int): how far the window moves from one output to the next.

    Returns:
        Tensor of the dtype of ``input_x``."""
def column_stack(tensors: Any) -> Tensor:
    """Join vectors as columns, and matrices as they are, side by side.

    Args:
        tensors (tuple or list of Tensor): the tensors.

    Returns:
        Tensor, int64."""
def combinations(input: Tensor, r: int = ..., with_replacement: bool = ...) -> Tensor:
    """Return all choices of ``r`` elements of a vector in their order, a row each.

    Args:
        input (Tensor): any dtype.
        r (int): how many at a time. Default: 2.
        with_replacement (bool): whether an element can be taken twice. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def concat(tensors: Any, axis: int = ...) -> Tensor:
    """Join tensors end to end along ``axis``.

    Args:
        tensors (tuple or list of Tensor): the tensors.
        axis (int): the axis along which it works; negative ones count from the last. Default: 0.

    Returns:
        Tensor, int64."""
def concatenate(tensors: Any, axis: int = ...) -> Tensor:
    """Join tensors end to end along ``axis``.

    Args:
        tensors (tuple or list of Tensor): the tensors.
        axis (int): the axis along which it works; negative ones count from the last. Default: 0.

    Returns:
        Tensor, int64."""
def cond(A: Tensor, p: Any = ...) -> Tensor:
    """Return the condition number of ``A``: its norm times the norm of its inverse.

    Args:
        A (Tensor): a matrix (M, N), or several; floats.
        p (number or str): the order of the norm; "fro" and "nuc" are norms of matrices. Default:
            None.

    Returns:
        Tensor of the dtype of ``A``."""
def conj(input: Tensor) -> Tensor:
    """real - imag * 1j; a real input as it is.

    Args:
        input (Tensor): floats, integers and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def constexpr(fn: Callable[..., Any] | None = ..., get_instance: bool = ..., name: str | None = ..., reuse_result: bool = ..., check: bool = ...) -> Any:
    """Mark a function of Python values as computed at compile time, as all Python code is
    here.

    Args:
        fn (Callable[..., Any] | None): the function; without it, the result is a decorator.
            Default: None.
        get_instance (bool): False: return a class whose instances are the function. Default: True.
        name (str | None): how the function is called. Default: None.
        reuse_result (bool): kept for MindSpore's sake. Default: True.
        check (bool): kept for MindSpore's sake. Default: True.

    Returns:
        function."""
def control_depend(value: Any, expr: Any) -> Any:
    """Return ``value``, computed after ``expr``.

    Args:
        value (Tensor): goes through as it is; any dtype.
        expr (Tensor): what is computed before it.

    Returns:
        Tensor of the dtype of ``value``."""
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: int | tuple[int] = ..., pad_mode: str = ..., padding: int | tuple[int] = ..., dilation: int | tuple[int] = ..., groups: int = ...) -> Tensor:
    """Convolve (N, C, L) with (F, C/groups, K): a two-dimensional convolution of height 1.

    Args:
        input (Tensor): the images (N, C, ...); floats and complex64.
        weight (Tensor): the filters (channels out, channels in / groups, *kernel_size).
        bias (Tensor): what is added to each output channel; None adds nothing. Default: None.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            1.
        pad_mode (str): "valid" leaves the border out, "same" keeps ceil(length / stride) outputs,
            "pad" adds ``padding`` zeros. Default: 'valid'.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        dilation (int or tuple of int): how far apart the elements of a window are. Default: 1.
        groups (int): into how many groups the channels are split. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: Any = ..., pad_mode: str = ..., padding: Any = ..., dilation: Any = ..., groups: int = ...) -> Tensor:
    """Convolve (N, C, H, W) with (F, C/groups, KH, KW), see ``Conv2D``.

    Args:
        input (Tensor): the images (N, C, ...); floats and complex64.
        weight (Tensor): the filters (channels out, channels in / groups, *kernel_size).
        bias (Tensor): what is added to each output channel; None adds nothing. Default: None.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            1.
        pad_mode (str): "valid" leaves the border out, "same" keeps ceil(length / stride) outputs,
            "pad" adds ``padding`` zeros. Default: 'valid'.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        dilation (int or tuple of int): how far apart the elements of a window are. Default: 1.
        groups (int): into how many groups the channels are split. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: Any = ..., pad_mode: str = ..., padding: Any = ..., dilation: Any = ..., groups: int = ...) -> Tensor:
    """Convolve (N, C, D, H, W) with (F, C/groups, KD, KH, KW), see ``Conv3D``.

    Args:
        input (Tensor): the images (N, C, ...); floats and complex64.
        weight (Tensor): the filters (channels out, channels in / groups, *kernel_size).
        bias (Tensor): what is added to each output channel; None adds nothing. Default: None.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            1.
        pad_mode (str): "valid" leaves the border out, "same" keeps ceil(length / stride) outputs,
            "pad" adds ``padding`` zeros. Default: 'valid'.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        dilation (int or tuple of int): how far apart the elements of a window are. Default: 1.
        groups (int): into how many groups the channels are split. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def conv3d_transpose(inputs: Tensor, weight: Tensor, pad_mode: str = ..., padding: Any = ..., stride: Any = ..., dilation: Any = ..., group: int = ..., output_padding: Any = ...) -> Tensor:
    """The transposed convolution of ``Conv3DTranspose``, whose sizes are those of ``weight``.

    Args:
        inputs (Tensor): (N, in_channel, D, H, W); floats and complex64.
        weight (Tensor): (in_channel, out_channel / group, KD, KH, KW).
        pad_mode (str): "valid", "same" or "pad". Default: 'valid'.
        padding: see ``pad`` there. Default: 0.
        stride: an int or three. Default: 1.
        dilation: an int or three. Default: 1.
        group (int): in how many groups channels are split. Default: 1.
        output_padding: how much longer than needed the output is: an int or three, with "pad".
            Default: 0.

    Returns:
        Tensor of the dtype of ``inputs``."""
def coo2csr(row_indices: Tensor, height: int) -> Tensor:
    """Convert the row of each value to row pointers: the start of each row and the end of the last.

    Args:
        row_indices (Tensor): the row of each value, (n,), int32, in order; int32.
        height (int): how many rows there are.

    Returns:
        Tensor, (height + 1,), int32."""
def coo_abs(x: Any) -> Any:
    """The COOTensor ``x`` with ``Abs`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_acos(x: Any) -> Any:
    """The COOTensor ``x`` with ``ACos`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_acosh(x: Any) -> Any:
    """The COOTensor ``x`` with ``Acosh`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_asin(x: Any) -> Any:
    """The COOTensor ``x`` with ``Asin`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_asinh(x: Any) -> Any:
    """The COOTensor ``x`` with ``Asinh`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_atan(x: Any) -> Any:
    """The COOTensor ``x`` with ``Atan`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_atanh(x: Any) -> Any:
    """The COOTensor ``x`` with ``Atanh`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_ceil(x: Any) -> Any:
    """The COOTensor ``x`` with ``Ceil`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_cos(x: Any) -> Any:
    """The COOTensor ``x`` with ``Cos`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_cosh(x: Any) -> Any:
    """The COOTensor ``x`` with ``Cosh`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_exp(x: Any) -> Any:
    """The COOTensor ``x`` with ``Exp`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_expm1(x: Any) -> Any:
    """The COOTensor ``x`` with ``Expm1`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_floor(x: Any) -> Any:
    """The COOTensor ``x`` with ``Floor`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_inv(x: Any) -> Any:
    """The COOTensor ``x`` with ``Inv`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_isfinite(x: Any) -> Any:
    """The COOTensor ``x`` with ``IsFinite`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_isinf(x: Any) -> Any:
    """The COOTensor ``x`` with ``IsInf`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_isnan(x: Any) -> Any:
    """The COOTensor ``x`` with ``IsNan`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_log(x: Any) -> Any:
    """The COOTensor ``x`` with ``Log`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_log1p(x: Any) -> Any:
    """The COOTensor ``x`` with ``Log1p`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_neg(x: Any) -> Any:
    """The COOTensor ``x`` with ``Neg`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_relu(x: Any) -> Any:
    """The COOTensor ``x`` with ``ReLU`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_relu6(x: Any) -> Any:
    """The COOTensor ``x`` with ``ReLU6`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_round(x: Any) -> Any:
    """The COOTensor ``x`` with ``Round`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_sigmoid(x: Any) -> Any:
    """The COOTensor ``x`` with ``Sigmoid`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_sin(x: Any) -> Any:
    """The COOTensor ``x`` with ``Sin`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_sinh(x: Any) -> Any:
    """The COOTensor ``x`` with ``Sinh`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_softsign(x: Any) -> Any:
    """The COOTensor ``x`` with ``Softsign`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_sqrt(x: Any) -> Any:
    """The COOTensor ``x`` with ``Sqrt`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_square(x: Any) -> Any:
    """The COOTensor ``x`` with ``Square`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_tan(x: Any) -> Any:
    """The COOTensor ``x`` with ``Tan`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def coo_tanh(x: Any) -> Any:
    """The COOTensor ``x`` with ``Tanh`` of its values.

    Args:
        x (COOTensor): any.

    Returns:
        COOTensor, of the same places."""
def copysign(x: Any, other: Any) -> Tensor:
    """|x| with the sign of other.

    ``CopySign`` of ``x`` and ``other``, in the dtype of ``x`` if it is float16,
    float32 or float64, else in float32.

    Args:
        x (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def core(fn: Callable[..., Any] | None = ..., **flags: Any) -> Any:
    """Mark a function as a unit for the framework; see ``add_flags``.

    Args:
        fn (function): that is marked. Default: None.
        **flags: what the function is marked with.

    Returns:
        function."""
def cos(input: Tensor) -> Tensor:
    """The cosine of input (radians).

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def cosh(input: Tensor) -> Tensor:
    """The hyperbolic cosine of input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = ..., reduction: str = ...) -> Tensor:
    """1 - cosine where target is 1, max(0, cosine - margin) where it is -1, reduced.

    Args:
        input1 (Tensor): one of the two that are compared; floats, integers and bool.
        input2 (Tensor): one of the two that are compared.
        target (Tensor): 1 or -1.
        margin (float): how far apart the right and the wrong ones have to be. Default: 0.0.
        reduction (str): "mean", "sum" or "none": what is done with the losses of all elements.
            Default: 'mean'.

    Returns:
        Tensor of the dtype of ``input1``; float32 for integers and bool."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = ..., eps: float = ...) -> Tensor:
    """The cosine of the angle between ``x1`` and ``x2`` along ``dim``.

    Args:
        x1 (Tensor): one of the two that are put together; floats.
        x2 (Tensor): one of the two that are put together.
        dim (int): the axis along which it works; negative ones count from the last. Default: 1.
        eps (float): a small number that keeps the divisor from zero. Default: 1e-08.

    Returns:
        Tensor of the dtype of ``x1``."""
def count_nonzero(x: Tensor, axis: Any = ..., keep_dims: bool = ..., dtype: Any = ...) -> Tensor:
    """The number of elements along ``axis`` that are not 0.

    Args:
        x (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last. Default: ().
        keep_dims (bool): keep the reduced axes with length 1. Default: False.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: mindspore.int32.

    Returns:
        Tensor, int32."""
def cov(input: Tensor, *, correction: int = ..., fweights: Any = ..., aweights: Any = ...) -> Tensor:
    """The covariance matrix of the rows of ``input``.

    Args:
        input (Tensor): variables in rows, observations in columns; of one variable, its variance;
            floats, integers and complex64.
        correction (int): what is taken off the number of observations. Default: 1.
        fweights: how often each observation counts, integers. Default: None.
        aweights: how much each observation counts. Default: None.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and float16."""
def crop_and_resize(image: Tensor, boxes: Tensor, box_indices: Tensor, crop_size: Any, method: str = ..., extrapolation_value: float = ...) -> Tensor:
    """Boxes of images (N, H, W, C), each resized to ``crop_size``.

    Args:
        image (Tensor): the images (N, H, W, C); floats, integers and bool.
        boxes (Tensor): boxes (N, 4) as corners x0, y0, x1, y1.
        box_indices (Tensor): which image each box is of.
        crop_size (tuple of int): height and width of the crops.
        method (str): "bilinear", "nearest" or "bilinear_v2" (pixel centres instead of corners, and
            boxes of whole pixels). Default: 'bilinear'.
        extrapolation_value (float): what lies outside the image. Default: 0.0.

    Returns:
        Tensor of the dtype of ``image``; float32 for integers, float16 and bool."""
def cross(input: Tensor, other: Tensor, dim: int | None = ...) -> Tensor:
    """The cross product of vectors of length 3 along ``dim`` (by default the first such axis).

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def cross_entropy(input: Tensor, target: Tensor, weight: Any = ..., ignore_index: int = ..., reduction: str = ..., label_smoothing: float = ...) -> Tensor:
    """The cross entropy of softmax(input) and target: class numbers, or probabilities.

    Args:
        input (Tensor): scores, (C,), (N, C) or (N, C, d1, ...); floats.
        target (Tensor): class numbers (without the axis C), or probabilities in the shape of
            ``input``.
        weight: of each class, (C,). Default: None.
        ignore_index (int): this class number counts nothing. Default: -100.
        reduction (str): "mean", "sum" or "none". Default: 'mean'.
        label_smoothing (float): how much of the target is spread over all classes, in [0, 1].
            Default: 0.0.

    Returns:
        Tensor of the dtype of ``input``."""
def csr2coo(indptr: Tensor, nnz: int) -> Tensor:
    """Convert row pointers (the start of each row and the end of the last) to the row of each
    value.

    Args:
        indptr (Tensor): where rows begin and the last one ends, (rows + 1,), int32; int32.
        nnz (int): how many values there are.

    Returns:
        Tensor, (nnz,), int32."""
def csr_abs(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Abs`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_acos(x: Any) -> Any:
    """The CSRTensor ``x`` with ``ACos`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_acosh(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Acosh`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_asin(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Asin`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_asinh(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Asinh`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_atan(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Atan`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_atanh(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Atanh`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_ceil(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Ceil`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_cos(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Cos`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_cosh(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Cosh`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_exp(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Exp`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_expm1(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Expm1`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_floor(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Floor`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_gather(indptr: Tensor, indices: Tensor, dense: Tensor, sparse_shape: Any) -> Tensor:
    """The elements of ``dense``, broadcast to ``sparse_shape``, at the places of a CSRTensor.

    Args:
        indptr (Tensor): where each row begins, and where the last one ends, (rows + 1,).
        indices (Tensor): columns, (n,).
        dense (Tensor): broadcasts to ``sparse_shape``; any dtype.
        sparse_shape (tuple): (rows, columns).

    Returns:
        Tensor, (n,)."""
def csr_inv(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Inv`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_isfinite(x: Any) -> Any:
    """The CSRTensor ``x`` with ``IsFinite`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_isinf(x: Any) -> Any:
    """The CSRTensor ``x`` with ``IsInf`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_isnan(x: Any) -> Any:
    """The CSRTensor ``x`` with ``IsNan`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_log(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Log`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_log1p(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Log1p`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_neg(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Neg`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_relu(x: Any) -> Any:
    """The CSRTensor ``x`` with ``ReLU`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_relu6(x: Any) -> Any:
    """The CSRTensor ``x`` with ``ReLU6`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_round(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Round`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_sigmoid(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Sigmoid`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_sin(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Sin`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_sinh(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Sinh`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_softsign(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Softsign`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_sqrt(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Sqrt`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_square(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Square`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_tan(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Tan`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def csr_tanh(x: Any) -> Any:
    """The CSRTensor ``x`` with ``Tanh`` of its values.

    Args:
        x (CSRTensor): any.

    Returns:
        CSRTensor, of the same places."""
def ctc_greedy_decoder(inputs: Tensor, sequence_length: Tensor, merge_repeated: bool = ...) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The most probable class of each step, repeats and blanks (the last class) left out.

    Args:
        inputs (Tensor): the log-probability of each class at each time (T, N, C).
        sequence_length (Tensor): how long each sequence is.
        merge_repeated (bool): a class that comes repeatedly counts once. Default: True.

    Returns:
        tuple of 4 Tensors, int64, int64, int64, float32."""
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = ..., reduction: str = ..., zero_infinity: bool = ...) -> tuple[Tensor, Tensor]:
    """-log P(target) of each sequence, and alpha.

    ``CTCLossV2``, reduced: "mean" divides each loss by the length of its target first.

    Args:
        log_probs (Tensor): the log-probability of each class at each time (T, N, C).
        targets (Tensor): the labels.
        input_lengths (Tensor): how long each sequence is.
        target_lengths (Tensor): how long each sequence is.
        blank (int): the class that emits nothing. Default: 0.
        reduction (str): "none". Default: 'mean'.
        zero_infinity (bool): a target that can't be read has the loss 0 and no gradient. Default:
            False.

    Returns:
        tuple of 2 Tensors, each float64."""
def cummax(input: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """The running maximum along ``axis`` and its index (int64), the last one among equals.

    ``Cummax`` of ``input`` along ``axis``.

    Args:
        input (Tensor): what is computed on.
        axis (int): the axis along which it works; negative ones count from the last.

    Returns:
        tuple of 2 Tensors, float32, int64."""
def cummin(input: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """The running minimum along ``axis`` and its index (int32), the last one among equals.

    ``Cummin`` of ``input`` along ``axis``.

    Args:
        input (Tensor): what is computed on.
        axis (int): the axis along which it works; negative ones count from the last.

    Returns:
        tuple of 2 Tensors, float32, int32."""
def cumprod(input: Tensor, dim: int, dtype: Any = ...) -> Tensor:
    """The running product of ``input`` along ``dim``; integers are multiplied as int64.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``; int64 for int32, uint8 and bool."""
def cumsum(x: Tensor, axis: int, dtype: Any = ...) -> Tensor:
    """The running sum of ``x`` along ``axis``.

    Args:
        x (Tensor): floats, integers and complex64.
        axis (int): the axis along which it works; negative ones count from the last.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``x``."""
def deepcopy(input_x: Tensor) -> Tensor:
    """A new tensor of the same content.

    Args:
        input_x (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input_x``."""
def deformable_conv2d(x: Tensor, weight: Tensor, offsets: Tensor, kernel_size: tuple[int, int], strides: tuple[int, ...], padding: tuple[int, ...], bias: Tensor | None = ..., dilations: tuple[int, ...] = ..., groups: int = ..., deformable_groups: int = ..., modulated: bool = ...) -> Tensor:
    """The convolution of the elements that ``DeformableOffsets`` samples from ``x``.

    Args:
        x (Tensor): (N, C, H, W); floats.
        weight (Tensor): (F, C / groups, kh, kw).
        offsets (Tensor): (N, 3 * deformable_groups * kh * kw, H', W'): along W, along H, and
            factors.
        kernel_size (tuple[int, int]): (kh, kw).
        strides (tuple[int, ...]): (1, 1, along H, along W).
        padding (tuple[int, ...]): zeros (above, below, left, right).
        bias (Tensor | None): (F,), or None. Default: None.
        dilations (tuple[int, ...]): (1, 1, along H, along W). Default: (1, 1, 1, 1).
        groups (int): of the convolution. Default: 1.
        deformable_groups (int): how many parts of the channels have offsets of their own. Default:
            1.
        modulated (bool): True: there are factors. Default: True.

    Returns:
        Tensor of the dtype of ``x``."""
def deg2rad(x: Tensor) -> Tensor:
    """Convert degrees to radians.

    Args:
        x (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def dense(input: Tensor, weight: Tensor, bias: Any = ...) -> Tensor:
    """input @ weight^T + bias.

    Args:
        input (Tensor): (..., channels in); floats, integers and complex64.
        weight (Tensor): (channels out, channels in).
        bias (Tensor): what is added to each output channel; None adds nothing. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def depend(value: Any, expr: Any) -> Any:
    """Return ``value``, computed after ``expr``.

    Args:
        value (Tensor): goes through as it is; any dtype.
        expr (Tensor): what is computed before it.

    Returns:
        Tensor of the dtype of ``value``."""
def derivative(fn: Callable[..., Any], primals: Any, order: int) -> tuple[Any, Any]:
    """Return the output of ``fn`` and its derivative of ``order`` along all inputs
    together.

    Of several outputs both are lists.

    Args:
        fn (function): what is differentiated.
        primals (Tensor or tuple of Tensor): where.
        order (int): how often.

    Returns:
        tuple of 2 Tensors, each float32."""
def det(input: Tensor) -> Tensor:
    """The determinant of each matrix.

    Args:
        input (Tensor): floats and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def diag(input: Tensor) -> Tensor:
    """A tensor of shape (D...) on the diagonal of one of shape (D..., D...).

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def diag_embed(input: Tensor, offset: int = ..., dim1: int = ..., dim2: int = ...) -> Tensor:
    """The last axis on the diagonal ``offset`` of new axes (dim1, dim2).

    Args:
        input (Tensor): any dtype.
        offset (int): which diagonal: 0 the main one, above it positive, below negative. Default: 0.
        dim1 (int): one of the two axes. Default: -2.
        dim2 (int): one of the two axes. Default: -1.

    Returns:
        Tensor of the dtype of ``input``."""
def diagflat(input: Tensor, offset: int = ...) -> Tensor:
    """All elements on the diagonal ``offset`` of a matrix.

    Args:
        input (Tensor): any dtype.
        offset (int): which diagonal: 0 the main one, above it positive, below negative. Default: 0.

    Returns:
        Tensor of the dtype of ``input``."""
def diagonal(input: Tensor, offset: int = ..., dim1: int = ..., dim2: int = ...) -> Tensor:
    """The diagonal ``offset`` of each matrix of axes (dim1, dim2), as the last axis.

    Args:
        input (Tensor): any dtype.
        offset (int): which diagonal: 0 the main one, above it positive, below negative. Default: 0.
        dim1 (int): one of the two axes. Default: 0.
        dim2 (int): one of the two axes. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = ..., dim1: int = ..., dim2: int = ...) -> Tensor:
    """``input`` with ``src`` on the diagonal ``offset`` of each matrix of axes (dim1, dim2).

    Args:
        input (Tensor): any dtype.
        src (Tensor): what is put in.
        offset (int): which diagonal: 0 the main one, above it positive, below negative. Default: 0.
        dim1 (int): one of the two axes. Default: 0.
        dim2 (int): one of the two axes. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def diff(x: Tensor, n: int = ..., axis: int = ..., prepend: Tensor | None = ..., append: Tensor | None = ...) -> Tensor:
    """The differences of neighbours along ``axis``, taken ``n`` times.

    Args:
        x (Tensor): any dtype.
        n (int): how many. Default: 1.
        axis (int): the axis along which it works; negative ones count from the last. Default: -1.
        prepend (Tensor): what is put before, or after, the input along the axis first. Default:
            None.
        append (Tensor): what is put before, or after, the input along the axis first. Default:
            None.

    Returns:
        Tensor of the dtype of ``x``."""
def digamma(input: Tensor) -> Tensor:
    """The derivative of log Gamma(input).

    Args:
        input (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def dist(input: Tensor, other: Tensor, p: float = ...) -> Tensor:
    """The p-norm of input - other.

    Args:
        input (Tensor): floats, integers and complex64.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.
        p (float): the power of the norm. Default: 2.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers."""
def div(input: Any, other: Any, *, rounding_mode: str | None = ...) -> Tensor:
    """Divide input by other; with ``rounding_mode`` "floor" or "trunc" round to integers.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.
        rounding_mode (str): None, "floor" or "trunc". Default: None.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def divide(input: Any, other: Any, *, rounding_mode: str | None = ...) -> Tensor:
    """Divide input by other; with ``rounding_mode`` "floor" or "trunc" round to integers.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.
        rounding_mode (str): None, "floor" or "trunc". Default: None.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def dot(input: Tensor, other: Tensor) -> Tensor:
    """Sum of products over the last axis of ``input`` and the last but one of ``other``.

    Args:
        input (Tensor): floats, integers and complex64.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def dropout(input: Tensor, p: float = ..., training: bool = ..., seed: int | None = ...) -> Tensor:
    """Set each element of ``input`` to zero with probability ``p`` and divide the others
    by 1 - p.

    Args:
        input (Tensor): floats; any dtype.
        p (float): the probability of a zero, in [0, 1); of no account without ``training``.
            Default: 0.5.
        training (bool): False returns ``input`` itself. Default: True.
        seed (int | None): an int for a stream that all calls with it share. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def dropout1d(input: Tensor, p: float = ..., training: bool = ...) -> Tensor:
    """Set whole channels of (N, C, L) or (C, L) to zero with probability ``p``.

    Args:
        input (Tensor): floats, integers and bool.
        p (float): the share that becomes zero. Default: 0.5.
        training (bool): whether it is a training, not an evaluation. Default: True.

    Returns:
        Tensor of the dtype of ``input``."""
def dropout2d(input: Tensor, p: float = ..., training: bool = ...) -> Tensor:
    """Set whole channels of (N, C, H, W) to zero with probability ``p``.

    Args:
        input (Tensor): floats, integers and bool.
        p (float): the share that becomes zero. Default: 0.5.
        training (bool): whether it is a training, not an evaluation. Default: True.

    Returns:
        Tensor of the dtype of ``input``."""
def dropout3d(input: Tensor, p: float = ..., training: bool = ...) -> Tensor:
    """Set whole channels of (N, C, D, H, W) to zero with probability ``p``.

    Args:
        input (Tensor): floats, integers and bool.
        p (float): the share that becomes zero. Default: 0.5.
        training (bool): whether it is a training, not an evaluation. Default: True.

    Returns:
        Tensor of the dtype of ``input``."""
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """``tensor_split`` along axis 2.

    Args:
        input (Tensor): what is computed on.
        indices_or_sections (int or tuple of int): how many equal parts, or where to cut.

    Returns:
        tuple of 2 Tensors, each float32."""
def dstack(tensors: Any) -> Tensor:
    """Join tensors along axis 2.

    Args:
        tensors (tuple or list of Tensor): the tensors.

    Returns:
        Tensor, int64."""
def dyn_shape(input_x: Tensor) -> Tensor:
    """Return the shape of a tensor as a vector of int64.

    Args:
        input_x (Tensor): any dtype.

    Returns:
        Tensor, int64."""
def eig(A: Tensor) -> tuple[Tensor, Tensor]:
    """The eigenvalues of each square matrix, and the eigenvectors in columns; complex.

    ``Eig`` of ``A`` with its eigenvectors.

    Args:
        A (Tensor): a matrix (M, N), or several.

    Returns:
        tuple of 2 Tensors, each complex64."""
def eigvals(A: Tensor) -> Tensor:
    """The eigenvalues of ``A``, complex.

    Args:
        A (Tensor): a matrix (M, N), or several; float32, float64 and complex64.

    Returns:
        Tensor of the dtype of ``A``; complex64 for float32, complex128 for float64."""
def einsum(equation: str, *operands: Any) -> Tensor:
    """Sum of products by Einstein's convention, see ``Einsum``.

    Args:
        equation (str): letters for the axes of each tensor, as "ij,jk->ik".
        *operands (Tensor): a tensor for each group of letters; any dtype.

    Returns:
        Tensor of the dtype of ``operands``."""
def elu(input_x: Tensor, alpha: float = ...) -> Tensor:
    """input_x where input_x > 0, else alpha * (e^input_x - 1).

    Args:
        input_x (Tensor): floats.
        alpha (number): the factor. Default: 1.0.

    Returns:
        Tensor of the dtype of ``input_x``."""
def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = ..., max_norm: float | None = ..., norm_type: float = ..., scale_grad_by_freq: bool = ...) -> Tensor:
    """The rows ``input`` of ``weight``.

    Args:
        input (Tensor): integers.
        weight (Tensor): (rows, width); any dtype.
        padding_idx (int | None): a row that gets no gradient. Default: None.
        max_norm (float | None): rows that are used are first scaled down to this norm, in
            ``weight`` itself. Default: None.
        norm_type (float): p of that norm. Default: 2.0.
        scale_grad_by_freq (bool): divide a row's gradient by how often it is used. Default: False.

    Returns:
        Tensor of the dtype of ``weight``."""
def eps(x: Tensor) -> Tensor:
    """The least number that changes 1 when added, in the shape and dtype of ``x``.

    Args:
        x (Tensor): floats.

    Returns:
        Tensor of the dtype of ``x``."""
def eq(input: Any, other: Any) -> Tensor:
    """input == other.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def equal(input: Any, other: Any) -> Tensor:
    """input == other.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def erf(input: Tensor) -> Tensor:
    """2 / sqrt(pi) * integral of e^(-t^2) from 0 to input.

    Args:
        input (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def erfc(input: Tensor) -> Tensor:
    """1 - erf(input).

    Args:
        input (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def erfinv(input: Tensor) -> Tensor:
    """The number whose erf is input; infinite at -1 and 1, nan beyond.

    Args:
        input (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def erfinv_(input: Tensor) -> Tensor:
    """Make ``input`` the inverse error function of itself; returns it.

    Args:
        input (Tensor): floats.

    Returns:
        Tensor of the dtype of ``input``."""
def exp(input: Tensor) -> Tensor:
    """e^input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def exp2(input: Tensor) -> Tensor:
    """Compute 2 ^ input; of bfloat16 in float32.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def expand(input: Tensor, shape: Any) -> Tensor:
    """Repeat ``input`` along axes of length 1 to ``shape``.

    Args:
        input (Tensor): any dtype.
        shape (tuple of int): of the result; -1 keeps an axis as it is.

    Returns:
        Tensor of the dtype of ``input``."""
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """Repeat ``input`` along axes of length 1 to the shape of ``other``.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def expand_dims(input_x: Tensor, axis: int) -> Tensor:
    """Insert a new axis of length 1 at ``axis``.

    Args:
        input_x (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last.

    Returns:
        Tensor of the dtype of ``input_x``."""
def expm1(input: Tensor) -> Tensor:
    """e^input - 1, exact for small input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def exponential_(input: Tensor, lambd: float = ..., *, generator: Any = ...) -> Tensor:
    """Make ``input`` numbers drawn from the exponential distribution of rate ``lambd``.

    Args:
        input (Tensor): any dtype.
        lambd (float): half the width of the zone that becomes zero. Default: 1.
        generator: the stream of random numbers; None draws from the global one. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def eye(n: int, m: int | None = ..., dtype: Any = ...) -> Tensor:
    """Return an (n, m) matrix with 1 on the diagonal, 0 elsewhere; float32 by default.

    Args:
        n (int): how many rows.
        m (int): how many columns; None takes as many as rows. Default: None.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, int32."""
def fast_gelu(x: Tensor) -> Tensor:
    """x * sigmoid(1.702 x).

    Args:
        x (Tensor): floats.

    Returns:
        Tensor of the dtype of ``x``."""
def fft(input: Tensor, n: int | None = ..., dim: int = ..., norm: str | None = ...) -> Tensor:
    """The Fourier transform along ``dim``.

    Args:
        input (Tensor): real or complex; any dtype.
        n (int | None): transform this many elements: cut, or filled up with zeros. Default: None.
        dim (int): the axis. Default: -1.
        norm (str | None): "backward" (the inverse divides by n), "forward" or "ortho". Default:
            None.

    Returns:
        Tensor of the dtype of ``input``; complex64 for integers, float16, float32 and bool,
        complex128 for float64."""
def fft2(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor:
    """The Fourier transform along two axes.

    Args:
        input (Tensor): any dtype.
        s (tuple of int): the length of each transformed axis: longer inputs are cut, shorter ones
            filled with zeros. Default: None.
        dim (int): the axis along which it works; negative ones count from the last. Default: (-2,
            -1).
        norm (str): what is scaled: "backward" (or None) the inverse, "forward" the transform,
            "ortho" both by the square root. Default: None.

    Returns:
        Tensor of the dtype of ``input``; complex64 for integers, float16, float32 and bool,
        complex128 for float64."""
def fftfreq(n: int, d: float = ..., dtype: Any = ...) -> Tensor:
    """The frequencies of ``fft``, of n samples d apart.

    Args:
        n (int): the length of the axis: a longer input is cut, a shorter one filled with zeros;
            None keeps it.
        d (float): from one sample to the next. Default: 1.0.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, float32."""
def fftn(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor:
    """The Fourier transform along several axes, all by default.

    Args:
        input (Tensor): any dtype.
        s (tuple of int): the length of each transformed axis: longer inputs are cut, shorter ones
            filled with zeros. Default: None.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        norm (str): what is scaled: "backward" (or None) the inverse, "forward" the transform,
            "ortho" both by the square root. Default: None.

    Returns:
        Tensor of the dtype of ``input``; complex64 for integers, float16, float32 and bool,
        complex128 for float64."""
def fftshift(input: Tensor, dim: Any = ...) -> Tensor:
    """The zero frequency moved to the middle of the axes ``dim``.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def fill(type: Any, shape: Any, value: Any) -> Tensor:
    """Return ``value`` in ``shape``, as ``type``.

    Args:
        type (dtype): of the result, such as ``ms.float32``.
        shape (tuple of int): of the result.
        value (Tensor or number): what is written or filled in.

    Returns:
        Tensor, float32."""
def fill_diagonal(input: Tensor, fill_value: Any, wrap: bool = ...) -> Tensor:
    """``input`` with ``fill_value`` on its main diagonal.

    Args:
        input (Tensor): any dtype.
        fill_value (number): what all elements are.
        wrap (bool): whether the diagonal starts again below a tall matrix's square. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def fills(x: Tensor, value: Any) -> Tensor:
    """Return ``value`` in the shape and dtype of ``x``.

    Args:
        x (Tensor): any dtype.
        value (Tensor or number): what is written or filled in.

    Returns:
        Tensor of the dtype of ``x``."""
def flash_attention_score(query: Tensor, key: Tensor, value: Tensor, head_num: int, real_shift: Any = ..., drop_mask: Any = ..., padding_mask: Any = ..., attn_mask: Any = ..., prefix: Any = ..., actual_seq_qlen: Any = ..., actual_seq_kvlen: Any = ..., keep_prob: float = ..., scalar_value: float = ..., pre_tokens: int = ..., next_tokens: int = ..., inner_precise: int = ..., input_layout: str = ..., sparse_mode: int = ...) -> Tensor:
    """Compute the attention of ``FlashAttentionScore``, in the shape and dtype of
    ``query``.

    Args:
        query (Tensor): (B, S, N * D), or as ``input_layout`` says, of float16, bfloat16 or float32;
            float16 and float32.
        key (Tensor): of as many or fewer heads.
        value (Tensor): like ``key``.
        head_num (int): heads of the query.
        real_shift: what is added to the scores, (B, N, S1, S2) or (1, N, S1, S2). Default: None.
        drop_mask: the bits of the weights that are kept, uint8, as ops.DropoutGenMask makes them.
            Default: None.
        padding_mask: reserved. Default: None.
        attn_mask: bool or uint8, true where a key does not count: (B, N, S1, S2), (B, 1, S1, S2) or
            (S1, S2), and (2048, 2048) in sparse modes 2 to 4, where it stands for the triangle.
            Default: None.
        prefix: in sparse mode 5, how many keys count in each sequence whatever the query. Default:
            None.
        actual_seq_qlen: in the layout TND, where each sequence of queries ends. Default: None.
        actual_seq_kvlen: the same of keys. Default: None.
        keep_prob (float): how probable it is that a weight is kept, in (0, 1]; ``drop_mask`` says
            which are. Default: 1.0.
        scalar_value (float): the factor of the scores. Default: 1.0.
        pre_tokens (int): how many keys before the query count, in sparse mode 4 and, with a mask,
            in 0. Default: 2147483647.
        next_tokens (int): the same, behind it. Default: 2147483647.
        inner_precise (int): reserved. Default: 0.
        input_layout (str): see above. Default: 'BSH'.
        sparse_mode (int): which keys of a query do not count. 0: those of ``attn_mask``, and those
            out of ``pre_tokens`` and ``next_tokens``; 1: those of the mask; 2: those behind the
            query, both counted from the first; 3: the same, counted from the last; 4: those out of
            the band, counted from the last; 5: those of the mask and, as 3, those behind the query,
            but for the first ``prefix``. Default: 0.

    Returns:
        Tensor of the dtype of ``query``."""
def flatten(input: Tensor, order: str = ..., *, start_dim: int = ..., end_dim: int = ...) -> Tensor:
    """Merge the axes from ``start_dim`` to ``end_dim``; order "F" reverses the axes first.

    Args:
        input (Tensor): any dtype.
        order (str): "C" by rows, "F" by columns. Default: 'C'.
        start_dim (int): the first and the last of the axes that become one. Default: 1.
        end_dim (int): the first and the last of the axes that become one. Default: -1.

    Returns:
        Tensor of the dtype of ``input``."""
def flip(input: Tensor, dims: Any) -> Tensor:
    """Reverse the order of elements of ``input`` along ``dims``, a tuple or list of ints.

    Args:
        input (Tensor): any dtype.
        dims (tuple of int): the axes along which it works; negative ones count from the last.

    Returns:
        Tensor of the dtype of ``input``."""
def fliplr(input: Tensor) -> Tensor:
    """Reverse the columns of ``input``.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def flipud(input: Tensor) -> Tensor:
    """Reverse the rows of ``input``.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def float_power(input: Any, exponent: Any) -> Tensor:
    """Compute input ^ exponent in float64, or in complex128 if one of them is complex.

    Args:
        input (Tensor): any dtype.
        exponent (Tensor or number): the power.

    Returns:
        Tensor of the dtype of ``input``; float64 for integers, float16, float32 and bool,
        complex128 for complex64."""
def floor(input: Tensor) -> Tensor:
    """The greatest whole number <= input.

    Args:
        input (Tensor): floats and integers.

    Returns:
        Tensor of the dtype of ``input``."""
def floor_div(x: Any, y: Any) -> Tensor:
    """The floor of x / y.

    Args:
        x (Tensor): floats, integers and bool.
        y (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``x``; int64 for bool."""
def floor_divide(input: Any, other: Any) -> Tensor:
    """The floor of input / other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def floor_mod(x: Any, y: Any) -> Tensor:
    """x - y * floor(x / y), with the sign of y.

    Args:
        x (Tensor): floats, integers and bool.
        y (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``x``; int64 for bool."""
def floordiv(x: Any, y: Any) -> Tensor:
    """The floor of x / y.

    Args:
        x (Tensor): floats, integers and bool.
        y (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``x``; int64 for bool."""
def floormod(x: Any, y: Any) -> Tensor:
    """x - y * floor(x / y), with the sign of y.

    Args:
        x (Tensor): floats, integers and bool.
        y (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``x``; int64 for bool."""
def fmax(input: Any, other: Any) -> Tensor:
    """The greater of input and other; where one is nan, the other. Where equal, input gets the gradient.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def fmin(input: Any, other: Any) -> Tensor:
    """The smaller of input and other; where one is nan, the other. Where equal, input gets the gradient.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def fmod(input: Any, other: Any) -> Tensor:
    """The remainder of input / other truncated, with the sign of input (C's ``fmod``).

    ``Mod`` of ``input`` and ``other``. With a 0-d tensor, a number is an int64 or float32.
    A 0-d ``other`` is cast to the dtype of ``input`` if both are integers or neither is.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def fold(input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = ..., padding: Any = ..., stride: Any = ...) -> Tensor:
    """Columns (N, C*KH*KW, OH*OW) or (N, C, KH*KW, OH*OW) as an image (N, C, *output_size),
    overlaps added.

    Args:
        input (Tensor): any dtype.
        output_size (tuple of int): height and width of the images.
        kernel_size (int or tuple of int): the window, one number or one for each axis.
        dilation (int or tuple of int): how far apart the elements of a window are. Default: 1.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            1.

    Returns:
        Tensor of the dtype of ``input``."""
def frac(x: Tensor) -> Tensor:
    """Return the fractional part of ``x``, with the sign of ``x``.

    Args:
        x (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``x``; int64 for bool."""
def fractional_max_pool2d(input: Tensor, kernel_size: Any, output_size: Any = ..., output_ratio: Any = ..., return_indices: bool = ..., _random_samples: Tensor | None = ...) -> Any:
    """Take the largest element of each window of ``kernel_size``, at random places.

    Args:
        input (Tensor): (N, C, H, W) or (C, H, W); floats, integers and bool.
        kernel_size: the window.
        output_size: the size of the output, or. Default: None.
        output_ratio: what part of the input's that is, in (0, 1). Default: None.
        return_indices (bool): return also where in its channel each element is. Default: False.
        _random_samples (Tensor | None): (N, C, 2), numbers in [0, 1); by default they are drawn.

    Returns:
        The elements, or these and their places."""
def fractional_max_pool3d(input: Tensor, kernel_size: Any, output_size: Any = ..., output_ratio: Any = ..., return_indices: bool = ..., _random_samples: Tensor | None = ...) -> Any:
    """Take the largest element of each window of ``kernel_size`` of volumes, at random
    places.

    Args:
        input (Tensor): (N, C, D, H, W) or (C, D, H, W); floats, integers and bool.
        kernel_size: the window.
        output_size: the size of the output, or. Default: None.
        output_ratio: what part of the input's that is, in (0, 1). Default: None.
        return_indices (bool): return also where in its channel each element is. Default: False.
        _random_samples (Tensor | None): (N, C, 3), numbers in [0, 1); by default they are drawn.

    Returns:
        The elements, or these and their places."""
def full(size: Any, fill_value: Any, *, dtype: Any = ...) -> Tensor:
    """Return ``fill_value`` in the shape ``size``, as ``dtype``: int64 by default for any
    value.

    Args:
        size (tuple of int): of the result.
        fill_value (number): what all elements are.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, int64."""
def full_like(input: Tensor, fill_value: Any, *, dtype: Any = ...) -> Tensor:
    """Return ``fill_value`` in the shape of ``input``, in its dtype or ``dtype``.

    Args:
        input (Tensor): any dtype.
        fill_value (number): what all elements are.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def fused_infer_attention_score(query: Tensor, key: Any, value: Any, *, pse_shift: Tensor | None = ..., atten_mask: Tensor | None = ..., actual_seq_lengths: Any = ..., actual_seq_lengths_kv: Any = ..., dequant_scale1: Any = ..., quant_scale1: Any = ..., dequant_scale2: Any = ..., quant_scale2: Any = ..., quant_offset2: Any = ..., antiquant_scale: Any = ..., antiquant_offset: Any = ..., key_antiquant_scale: Any = ..., key_antiquant_offset: Any = ..., value_antiquant_scale: Any = ..., value_antiquant_offset: Any = ..., block_table: Tensor | None = ..., query_padding_size: Any = ..., kv_padding_size: Any = ..., key_shared_prefix: Any = ..., value_shared_prefix: Any = ..., actual_shared_prefix_len: Any = ..., num_heads: int = ..., scale: float = ..., pre_tokens: int = ..., next_tokens: int = ..., input_layout: str = ..., num_key_value_heads: int = ..., sparse_mode: int = ..., inner_precise: int = ..., block_size: int = ..., antiquant_mode: int = ..., key_antiquant_mode: int = ..., value_antiquant_mode: int = ..., softmax_lse_flag: bool = ...) -> tuple[Tensor, Tensor]:
    """The attention of ``FusedInferAttentionScore``, and the logarithms of its sums.

    Args:
        query (Tensor): as the layout says, of float16 or bfloat16.
        key: a Tensor, or a tuple or list of one.
        value: like ``key``.
        pse_shift (Tensor | None): what is added to the scores, (1, N, S1, S2) or (B, N, S1, S2), or
            larger, in the dtype of ``query``. Default: None.
        atten_mask (Tensor | None): see ``attn_mask`` there. Default: None.
        actual_seq_lengths: how many queries of each row count, (B,). Default: None.
        actual_seq_lengths_kv: how many keys of each row count, (B,) or one for all. Default: None.
        dequant_scale1: of quantised numbers; must be None. Default: None.
        quant_scale1: must be None. Default: None.
        dequant_scale2: must be None. Default: None.
        quant_scale2: must be None. Default: None.
        quant_offset2: must be None. Default: None.
        antiquant_scale: must be None. Default: None.
        antiquant_offset: must be None. Default: None.
        key_antiquant_scale: must be None. Default: None.
        key_antiquant_offset: must be None. Default: None.
        value_antiquant_scale: must be None. Default: None.
        value_antiquant_offset: must be None. Default: None.
        block_table (Tensor | None): of one query: which blocks hold the keys of each row, (B, M) of
            int32; key and value are (blocks, block_size, M * D) or (blocks, M, block_size, D) then.
            Default: None.
        query_padding_size: how many queries behind those that count do not, with
            ``actual_seq_lengths``. Default: None.
        kv_padding_size: how many keys behind those that count do not, with
            ``actual_seq_lengths_kv``. Default: None.
        key_shared_prefix: reserved; must be None. Default: None.
        value_shared_prefix: must be None. Default: None.
        actual_shared_prefix_len: must be None. Default: None.
        num_heads (int): heads of the query. Default: 1.
        scale (float): the factor of the scores. Default: 1.0.
        pre_tokens (int): how many keys before the query count, in sparse mode 4 and, with a mask,
            in 0. Default: 2147483647.
        next_tokens (int): the same, behind it. Default: 2147483647.
        input_layout (str): see above. Default: 'BSH'.
        num_key_value_heads (int): heads of key and value; 0: as many as the query has. Default: 0.
        sparse_mode (int): as in ``PromptFlashAttention``; with paddings, mode 0 has no band.
            Default: 0.
        inner_precise (int): reserved. Default: 1.
        block_size (int): how many tokens a block holds. Default: 0.
        antiquant_mode (int): of quantised numbers. Default: 0.
        key_antiquant_mode (int): of quantised numbers. Default: 0.
        value_antiquant_mode (int): of quantised numbers. Default: 0.
        softmax_lse_flag (bool): whether the logarithms of the sums are computed. Default: False.

    Returns:
        tuple of 2 Tensors, float16, float32."""
def gamma(shape: Any, alpha: Tensor, beta: Tensor, seed: int | None = ...) -> Tensor:
    """Gamma numbers of shape ``alpha`` and rate ``beta``, which broadcast with ``shape``.

    ``Gamma`` numbers.

    Args:
        shape (tuple of int): of what is drawn for each.
        alpha (Tensor): the shape of the distribution; floats.
        beta (Tensor): its rate.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.

    Returns:
        Tensor, float32."""
def gather(input_params: Tensor, input_indices: Tensor, axis: int, batch_dims: int = ...) -> Tensor:
    """``input_params`` at ``input_indices`` along ``axis``.

    Args:
        input_params (Tensor): the table to take from; integers.
        input_indices (Tensor): which of them.
        axis (int): the axis that the indices count along.
        batch_dims (int): how many leading axes both have in common. Default: 0.

    Returns:
        Tensor of the dtype of ``input_params``."""
def gather_d(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """``x`` picked by ``index`` along ``dim``.

    Args:
        x (Tensor): integers.
        dim (int): the axis that the indices count along.
        index (Tensor): whole numbers that say where.

    Returns:
        Tensor of the dtype of ``x``."""
def gather_elements(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """``input`` picked by ``index`` along ``dim``.

    Args:
        input (Tensor): integers.
        dim (int): the axis that the indices count along.
        index (Tensor): whole numbers that say where.

    Returns:
        Tensor of the dtype of ``input``."""
def gather_nd(input_x: Tensor, indices: Tensor) -> Tensor:
    """``input_x`` at the coordinates ``indices``.

    Args:
        input_x (Tensor): integers.
        indices (Tensor): whole numbers that say where.

    Returns:
        Tensor of the dtype of ``input_x``."""
def gaussian_nll_loss(x: Tensor, target: Tensor, var: Any, full: bool = ..., eps: float = ..., reduction: str = ...) -> Tensor:
    """(log(var) + (x - target)^2 / var) / 2 with var at least eps, reduced.

    Args:
        x (Tensor): expectations; floats, integers and bool.
        target (Tensor): what was seen.
        var: variances, a tensor or a number.
        full (bool): add log(2 pi) / 2. Default: False.
        eps (float): the least variance. Default: 1e-06.
        reduction (str): "mean", "sum" or "none". Default: 'mean'.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def gcd(input: Any, other: Any) -> Tensor:
    """The greatest common divisor of input and other.

    Args:
        input (Tensor): integers.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def ge(input: Any, other: Any) -> Tensor:
    """input >= other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def gelu(input: Tensor, approximate: str = ...) -> Tensor:
    """Compute input * P(Z <= input) for a standard normal variable Z.

    Args:
        input (Tensor): floats; floats, integers and bool.
        approximate (str): "none", or "tanh" for ``GeLU``. Default: 'none'.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def geqrf(input: Tensor) -> tuple[Tensor, Tensor]:
    """QR in LAPACK's form: r above the diagonal, below it the reflections of q, and their factors.

    Args:
        input (Tensor): what is computed on.

    Returns:
        tuple of 2 Tensors, each float32."""
def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """The outer product of two vectors.

    Args:
        input (Tensor): any dtype.
        vec2 (Tensor): a vector.

    Returns:
        Tensor of the dtype of ``input``."""
def get_grad(gradients: Any, identifier: Any) -> Tensor:
    """Return the gradient of one input or Parameter from the result of ``grad(...,
    return_ids=True)``.

    Args:
        gradients: what the gradient function returned.
        identifier: the position of an input, or a Parameter.

    Returns:
        Tensor, float32."""
def glu(x: Tensor, axis: int = ...) -> Tensor:
    """The first half of x along ``axis`` times the sigmoid of the second.

    Args:
        x (Tensor): floats.
        axis (int): the axis that is halved. Default: -1.

    Returns:
        Tensor of the dtype of ``x``."""
def grad(fn: Callable[..., Any], grad_position: Any = ..., weights: Any = ..., has_aux: bool = ..., return_ids: bool = ..., sens_param: bool = ...) -> Callable[..., Any]:
    """Return a function that computes the gradients of ``fn``.

    Args:
        fn (Callable[..., Any]): a function or Cell of tensors; what it returns is summed (with
            ``has_aux``, its first output).
        grad_position: inputs to differentiate by: an int, a tuple of ints or None. Default: 0.
        weights: Parameters to differentiate by, or None. Default: None.
        has_aux (bool): return ``(gradients, other outputs)``. Default: False.
        return_ids (bool): return each gradient together with its position or name. Default: False.
        sens_param (bool): the last input of the result, or ``sens=``, is the cotangent of the
            output. Default: False.

    Returns:
        The gradient for one position, a tuple for several; with ``weights`` too, ``(by inputs, by
        weights)``."""
def greater(input: Any, other: Any) -> Tensor:
    """input > other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def greater_equal(input: Any, other: Any) -> Tensor:
    """input >= other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def grid_sample(input: Tensor, grid: Tensor, mode: str = ..., padding_mode: str = ..., align_corners: bool = ...) -> Tensor:
    """An image or volume at the points of a grid, given in [-1, 1].

    Args:
        input (Tensor): floats, integers and bool.
        grid (Tensor): for each pixel of the output where it comes from, from -1 to 1.
        mode (str): "bilinear", "nearest" or "bicubic". Default: 'bilinear'.
        padding_mode (str): what lies beyond the border: "zeros", "border" or "reflection". Default:
            'zeros'.
        align_corners (bool): whether the centres of the corner pixels stay where they are. Default:
            False.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def group_norm(input: Tensor, num_groups: int, weight: Any = ..., bias: Any = ..., eps: float = ...) -> Tensor:
    """Normalise each group of channels of each example, then scale and shift each channel.

    Args:
        input (Tensor): floats.
        num_groups (int): into how many groups the channels are split.
        weight (Tensor): the weights. Default: None.
        bias (Tensor): what is added to each output channel; None adds nothing. Default: None.
        eps (float): a small number that keeps the divisor from zero. Default: 1e-05.

    Returns:
        Tensor of the dtype of ``input``."""
def gt(input: Any, other: Any) -> Tensor:
    """input > other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def gumbel_softmax(logits: Tensor, tau: float = ..., hard: bool = ..., dim: int = ...) -> Tensor:
    """Compute softmax((logits + g) / tau) with g drawn from a Gumbel distribution.

    Args:
        logits (Tensor): unnormalised log-probabilities; float16 and float32.
        tau (float): temperature, > 0. Default: 1.0.
        hard (bool): return one-hot rows, with the gradient of the soft ones. Default: False.
        dim (int): the axis to normalise along. Default: -1.

    Returns:
        Tensor of the dtype of ``logits``."""
def hamming_window(window_length: Any, periodic: bool = ..., alpha: float = ..., beta: float = ..., *, dtype: Any = ...) -> Tensor:
    """alpha - beta cos(2 pi x).

    ``HammingWindow`` of ``window_length`` weights.

    Args:
        window_length (int): how many points.
        periodic (bool): whether the window is one period of a longer one, not symmetric. Default:
            True.
        alpha (number): the factor. Default: 0.54.
        beta (number): the factor of the first operand. Default: 0.46.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, float32."""
def hann_window(window_length: Any, periodic: bool = ..., *, dtype: Any = ...) -> Tensor:
    """0.5 - 0.5 cos(2 pi x), float64 by default.

    Args:
        window_length (int): how many points.
        periodic (bool): whether the window is one period of a longer one, not symmetric. Default:
            True.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, float64."""
def hardshrink(input: Tensor, lambd: float = ...) -> Tensor:
    """input where |input| > lambd, else 0.

    Args:
        input (Tensor): floats.
        lambd (float): half the width of the zone that becomes zero. Default: 0.5.

    Returns:
        Tensor of the dtype of ``input``."""
def hardsigmoid(input: Tensor) -> Tensor:
    """min(max(input + 3, 0), 6) / 6.

    Args:
        input (Tensor): floats, int32 and int64.

    Returns:
        Tensor of the dtype of ``input``."""
def hardswish(input: Tensor) -> Tensor:
    """input * min(max(input + 3, 0), 6) / 6.

    Args:
        input (Tensor): floats, int32 and int64.

    Returns:
        Tensor of the dtype of ``input``."""
def hardtanh(input: Tensor, min_val: float = ..., max_val: float = ...) -> Tensor:
    """Clamp ``input`` to [``min_val``, ``max_val``]; for integers the bounds are truncated.

    Args:
        input (Tensor): floats, integers and bool.
        min_val (float): the least. Default: -1.0.
        max_val (float): the greatest. Default: 1.0.

    Returns:
        Tensor of the dtype of ``input``."""
def heaviside(input: Any, values: Any) -> Tensor:
    """0 where input < 0 or NaN, values where input = 0, 1 where input > 0.

    Args:
        input (Tensor): floats and integers.
        values (Tensor): what it is at zero.

    Returns:
        Tensor of the dtype of ``input``."""
def hfft(input: Tensor, n: int | None = ..., dim: int = ..., norm: str | None = ...) -> Tensor:
    """The real transform of a signal of which the second half mirrors the first.

    Args:
        input (Tensor): any dtype.
        n (int): the length of the axis: a longer input is cut, a shorter one filled with zeros;
            None keeps it. Default: None.
        dim (int): the axis along which it works; negative ones count from the last. Default: -1.
        norm (str): what is scaled: "backward" (or None) the inverse, "forward" the transform,
            "ortho" both by the square root. Default: None.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers, float16, bool and complex64."""
def hfft2(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor:
    """``hfft`` along two axes.

    Args:
        input (Tensor): any dtype.
        s (tuple of int): the length of each transformed axis: longer inputs are cut, shorter ones
            filled with zeros. Default: None.
        dim (int): the axis along which it works; negative ones count from the last. Default: (-2,
            -1).
        norm (str): what is scaled: "backward" (or None) the inverse, "forward" the transform,
            "ortho" both by the square root. Default: None.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers, float16, bool and complex64."""
def hfftn(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor:
    """``hfft`` along several axes.

    Args:
        input (Tensor): any dtype.
        s (tuple of int): the length of each transformed axis: longer inputs are cut, shorter ones
            filled with zeros. Default: None.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        norm (str): what is scaled: "backward" (or None) the inverse, "forward" the transform,
            "ortho" both by the square root. Default: None.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers, float16, bool and complex64."""
def hinge_embedding_loss(inputs: Tensor, targets: Tensor, margin: float = ..., reduction: str = ...) -> Tensor:
    """inputs where targets > 0, max(0, margin - inputs) where targets < 0, else 0, reduced.

    Args:
        inputs (Tensor, or tuple or list of Tensor): floats.
        targets (Tensor): 1 or -1.
        margin (float): how far apart the right and the wrong ones have to be. Default: 1.0.
        reduction (str): "mean", "sum" or "none": what is done with the losses of all elements.
            Default: 'mean'.

    Returns:
        Tensor of the dtype of ``inputs``."""
def histc(input: Tensor, bins: int = ..., min: float = ..., max: float = ...) -> Tensor:
    """The number of elements in each of ``bins`` equal parts of [min, max].

    Args:
        input (Tensor): any dtype.
        bins (int or Tensor): how many intervals, or their bounds. Default: 100.
        min (Tensor or number): the least. Default: 0.0.
        max (Tensor or number): the greatest. Default: 0.0.

    Returns:
        Tensor of the dtype of ``input``; float32 for float16."""
def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """``tensor_split`` along axis 1.

    Args:
        input (Tensor): what is computed on.
        indices_or_sections (int or tuple of int): how many equal parts, or where to cut.

    Returns:
        tuple of 2 Tensors, each int64."""
def hstack(tensors: Any) -> Tensor:
    """Join tensors side by side: along axis 1, vectors along axis 0.

    Args:
        tensors (tuple or list of Tensor): the tensors.

    Returns:
        Tensor, int64."""
def huber_loss(input: Tensor, target: Tensor, reduction: str = ..., delta: float = ...) -> Tensor:
    """d^2 / 2 where d = |input - target| <= delta, else delta * (d - delta / 2), reduced.

    Args:
        input (Tensor): floats and integers.
        target (Tensor): what should come out.
        reduction (str): "none", "mean" or "sum". Default: 'mean'.
        delta (float): where the loss turns from squares to straight lines. Default: 1.0.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers."""
def hypot(input: Any, other: Any) -> Tensor:
    """sqrt(input^2 + other^2), without overflow on the way.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def i0(input: Tensor) -> Tensor:
    """I_0(input).

    Args:
        input (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def identity(x: Any) -> Any:
    """Return ``x``: a tensor as the output of an op, anything else itself.

    Args:
        x (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``x``."""
def ifft(input: Tensor, n: int | None = ..., dim: int = ..., norm: str | None = ...) -> Tensor:
    """The inverse of ``fft``.

    Args:
        input (Tensor): any dtype.
        n (int): the length of the axis: a longer input is cut, a shorter one filled with zeros;
            None keeps it. Default: None.
        dim (int): the axis along which it works; negative ones count from the last. Default: -1.
        norm (str): what is scaled: "backward" (or None) the inverse, "forward" the transform,
            "ortho" both by the square root. Default: None.

    Returns:
        Tensor of the dtype of ``input``; complex64 for integers, float16, float32 and bool,
        complex128 for float64."""
def ifft2(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor:
    """The inverse of ``fft2``.

    Args:
        input (Tensor): any dtype.
        s (tuple of int): the length of each transformed axis: longer inputs are cut, shorter ones
            filled with zeros. Default: None.
        dim (int): the axis along which it works; negative ones count from the last. Default: (-2,
            -1).
        norm (str): what is scaled: "backward" (or None) the inverse, "forward" the transform,
            "ortho" both by the square root. Default: None.

    Returns:
        Tensor of the dtype of ``input``; complex64 for integers, float16, float32 and bool,
        complex128 for float64."""
def ifftn(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor:
    """The inverse of ``fftn``.

    Args:
        input (Tensor): any dtype.
        s (tuple of int): the length of each transformed axis: longer inputs are cut, shorter ones
            filled with zeros. Default: None.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        norm (str): what is scaled: "backward" (or None) the inverse, "forward" the transform,
            "ortho" both by the square root. Default: None.

    Returns:
        Tensor of the dtype of ``input``; complex64 for integers, float16, float32 and bool,
        complex128 for float64."""
def ifftshift(input: Tensor, dim: Any = ...) -> Tensor:
    """The inverse of ``fftshift``.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def igamma(input: Any, other: Any) -> Tensor:
    """The regularised lower incomplete gamma function P(a, input).

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def igammac(input: Any, other: Any) -> Tensor:
    """The regularised upper incomplete gamma function Q(a, input).

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def ihfft(input: Tensor, n: int | None = ..., dim: int = ..., norm: str | None = ...) -> Tensor:
    """The inverse of ``hfft``: the first half of the inverse transform of a real input.

    Args:
        input (Tensor): floats, integers and bool.
        n (int): the length of the axis: a longer input is cut, a shorter one filled with zeros;
            None keeps it. Default: None.
        dim (int): the axis along which it works; negative ones count from the last. Default: -1.
        norm (str): what is scaled: "backward" (or None) the inverse, "forward" the transform,
            "ortho" both by the square root. Default: None.

    Returns:
        Tensor, complex64 for integers, float16, float32 and bool, complex128 for float64."""
def ihfft2(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor:
    """The inverse of ``hfft2``.

    Args:
        input (Tensor): floats, integers and bool.
        s (tuple of int): the length of each transformed axis: longer inputs are cut, shorter ones
            filled with zeros. Default: None.
        dim (int): the axis along which it works; negative ones count from the last. Default: (-2,
            -1).
        norm (str): what is scaled: "backward" (or None) the inverse, "forward" the transform,
            "ortho" both by the square root. Default: None.

    Returns:
        Tensor, complex64 for integers, float16, float32 and bool, complex128 for float64."""
def ihfftn(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor:
    """The inverse of ``hfftn``.

    Args:
        input (Tensor): floats, integers and bool.
        s (tuple of int): the length of each transformed axis: longer inputs are cut, shorter ones
            filled with zeros. Default: None.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        norm (str): what is scaled: "backward" (or None) the inverse, "forward" the transform,
            "ortho" both by the square root. Default: None.

    Returns:
        Tensor, complex64 for integers, float16, float32 and bool, complex128 for float64."""
def imag(input: Tensor) -> Tensor:
    """The imaginary part; 0 for a real input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for complex64."""
def incre_flash_attention(query: Tensor, key: Any, value: Any, attn_mask: Tensor | None = ..., actual_seq_lengths: Any = ..., pse_shift: Tensor | None = ..., dequant_scale1: Any = ..., quant_scale1: Any = ..., dequant_scale2: Any = ..., quant_scale2: Any = ..., quant_offset2: Any = ..., antiquant_scale: Any = ..., antiquant_offset: Any = ..., block_table: Tensor | None = ..., num_heads: int = ..., input_layout: str = ..., scale_value: float = ..., num_key_value_heads: int = ..., block_size: int = ..., inner_precise: int = ..., kv_padding_size: Any = ...) -> Tensor:
    """The attention of ``IncreFlashAttention``, in the shape and dtype of ``query``.

    Args:
        query (Tensor): (B, 1, N * D) or (B, N, 1, D), of float16 or bfloat16; float16.
        key: a tuple or list of one Tensor of ``num_key_value_heads`` heads.
        value: like ``key``.
        attn_mask (Tensor | None): bool, int8 or uint8, not 0 where a key does not count: (B, S),
            (B, 1, S) or (B, 1, 1, S). Default: None.
        actual_seq_lengths: how many keys of each row count, (B,) or one for all. Default: None.
        pse_shift (Tensor | None): what is added to the scores, (1, N, 1, S) or (B, N, 1, S), in the
            dtype of ``query``. Default: None.
        dequant_scale1: of quantised numbers; must be None. Default: None.
        quant_scale1: must be None. Default: None.
        dequant_scale2: must be None. Default: None.
        quant_scale2: must be None. Default: None.
        quant_offset2: must be None. Default: None.
        antiquant_scale: must be None. Default: None.
        antiquant_offset: must be None. Default: None.
        block_table (Tensor | None): which blocks hold the keys of each row, (B, M) of int32, with
            ``actual_seq_lengths`` and ``block_size``. Default: None.
        num_heads (int): heads of the query. Default: 1.
        input_layout (str): see above. Default: 'BSH'.
        scale_value (float): the factor of the scores. Default: 1.0.
        num_key_value_heads (int): heads of key and value; 0: as many as the query has. Default: 0.
        block_size (int): how many tokens a block holds. Default: 0.
        inner_precise (int): reserved. Default: 1.
        kv_padding_size: how many keys behind those that count do not, with ``actual_seq_lengths``.
            Default: None.

    Returns:
        Tensor, float16."""
def index_add(x: Tensor, indices: Tensor, y: Tensor, axis: int, use_lock: bool = ..., check_index_bound: bool = ...) -> Tensor:
    """The Parameter ``x``, ``y``'s slices added to its slices ``indices`` along ``axis``.

    Args:
        x (Tensor): what is written to.
        indices (Tensor): which rows.
        y (Tensor): the rows that are written.
        axis (int): the axis along which it works; negative ones count from the last.
        use_lock (bool): kept for MindSpore's sake: writes are in order. Default: True.
        check_index_bound (bool): whether indices are checked. Default: True.

    Returns:
        Tensor, float32."""
def index_fill(x: Tensor, axis: int, index: Tensor, value: Any) -> Tensor:
    """``x`` with ``value`` in its slices ``index`` along ``axis``.

    Args:
        x (Tensor): int32.
        axis (int): the axis that the indices count along.
        index (Tensor): whole numbers that say where.
        value (number): what is written.

    Returns:
        Tensor, int32."""
def index_select(input: Tensor, axis: int, index: Tensor) -> Tensor:
    """The slices ``index`` of ``input`` along ``axis``.

    Args:
        input (Tensor): any dtype.
        axis (int): the axis that the indices count along.
        index (Tensor): whole numbers that say where.

    Returns:
        Tensor of the dtype of ``input``."""
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The sums of products over the last axes of both; a plain product where one is a number.

    Args:
        input (Tensor): floats, integers and complex64.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def inplace_add(x: Tensor, v: Tensor, indices: Any) -> Tensor:
    """``x`` with ``v`` added to its rows ``indices``; x itself stays.

    Args:
        x (Tensor): what is written to; any dtype.
        v (Tensor): the rows that are written.
        indices (Tensor): which rows.

    Returns:
        Tensor of the dtype of ``x``."""
def inplace_index_add(x: Tensor, indices: Tensor, y: Tensor, axis: int, use_lock: bool = ..., check_index_bound: bool = ...) -> Tensor:
    """The Parameter ``x``, ``y``'s slices added to its slices ``indices`` along ``axis``.

    Args:
        x (Tensor): what is written to.
        indices (Tensor): which rows.
        y (Tensor): the rows that are written.
        axis (int): the axis along which it works; negative ones count from the last.
        use_lock (bool): kept for MindSpore's sake: writes are in order. Default: True.
        check_index_bound (bool): whether indices are checked. Default: True.

    Returns:
        Tensor, float32."""
def inplace_sigmoid(input: Tensor) -> Tensor:
    """Make ``input`` the sigmoid of itself; returns it.

    Args:
        input (Tensor): floats and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def inplace_sub(x: Tensor, v: Tensor, indices: Any) -> Tensor:
    """``x`` with ``v`` subtracted from its rows ``indices``; x itself stays.

    Args:
        x (Tensor): what is written to; floats, integers and complex64.
        v (Tensor): the rows that are written.
        indices (Tensor): which rows.

    Returns:
        Tensor of the dtype of ``x``."""
def inplace_update(x: Tensor, v: Tensor, indices: Any) -> Tensor:
    """``x`` with ``v`` as its rows ``indices``; x itself stays.

    Args:
        x (Tensor): what is written to; any dtype.
        v (Tensor): the rows that are written.
        indices (Tensor): which rows.

    Returns:
        Tensor of the dtype of ``x``."""
def interpolate(input: Tensor, size: Any = ..., scale_factor: Any = ..., mode: str = ..., align_corners: bool | None = ..., recompute_scale_factor: bool | None = ..., *, roi: Any = ..., scales: Any = ..., sizes: Any = ..., coordinate_transformation_mode: str | None = ...) -> Tensor:
    """A batch of signals, images or volumes (N, C, ...) at another size.

    Args:
        input (Tensor): 3, 4 or 5 axes; floats, integers and bool.
        size: the lengths of the space axes, or one for all. Default: None.
        scale_factor: what to multiply the lengths by instead. Default: None.
        mode (str): "nearest", "nearest-exact", "linear" (3 axes), "bilinear", "bicubic" (4),
            "trilinear" (5) or "area". Default: 'nearest'.
        align_corners (bool | None): corners stay corners (the linear and cubic modes). Default:
            None.
        recompute_scale_factor (bool | None): let the lengths say how far elements are apart, which
            ``scale_factor`` does otherwise. Default: None.
        roi: kept for MindSpore 1.x' sake: must be None. Default: None.
        scales: MindSpore 1.x' name of ``scale_factor``, with numbers for N and C in front. Default:
            None.
        sizes: MindSpore 1.x' name of ``size``. Default: None.
        coordinate_transformation_mode (str | None): MindSpore 1.x: "align_corners", "half_pixel" or
            "asymmetric". Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def intopk(x1: Tensor, x2: Tensor, k: int) -> Tensor:
    """Whether the element ``x2[i]`` of row i is among the row's ``k`` greatest.

    Args:
        x1 (Tensor): a number for each class (N, C); any dtype.
        x2 (Tensor): the class of each.
        k (int): among how many.

    Returns:
        Tensor, bool."""
def inv(x: Tensor) -> Tensor:
    """1 / x, truncated for integers.

    Args:
        x (Tensor): floats, integers and complex64.

    Returns:
        Tensor of the dtype of ``x``."""
def inverse(input: Tensor) -> Tensor:
    """The inverse of each matrix, or (``adjoint``) of its conjugate transpose.

    Args:
        input (Tensor): floats and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def invert(x: Tensor) -> Tensor:
    """~x.

    Args:
        x (Tensor): integers and bool.

    Returns:
        Tensor of the dtype of ``x``."""
def iou(anchor_boxes: Tensor, gt_boxes: Tensor, mode: str = ...) -> Tensor:
    """Common area over joint area ("iou") or over that of gt ("iof").

    Args:
        anchor_boxes (Tensor): boxes (N, 4) as corners x0, y0, x1, y1; floats.
        gt_boxes (Tensor): the true boxes (N, 4) as corners.
        mode (str): "iou", or "iof" to divide by the true box alone. Default: 'iou'.

    Returns:
        Tensor of the dtype of ``anchor_boxes``."""
def irfft(input: Tensor, n: int | None = ..., dim: int = ..., norm: str | None = ...) -> Tensor:
    """The real inverse of ``rfft``; n is even unless it is given.

    Args:
        input (Tensor): any dtype.
        n (int): the length of the axis: a longer input is cut, a shorter one filled with zeros;
            None keeps it. Default: None.
        dim (int): the axis along which it works; negative ones count from the last. Default: -1.
        norm (str): what is scaled: "backward" (or None) the inverse, "forward" the transform,
            "ortho" both by the square root. Default: None.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers, float16, bool and complex64."""
def irfft2(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor:
    """The real inverse of ``rfft2``.

    Args:
        input (Tensor): any dtype.
        s (tuple of int): the length of each transformed axis: longer inputs are cut, shorter ones
            filled with zeros. Default: None.
        dim (int): the axis along which it works; negative ones count from the last. Default: (-2,
            -1).
        norm (str): what is scaled: "backward" (or None) the inverse, "forward" the transform,
            "ortho" both by the square root. Default: None.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers, float16, bool and complex64."""
def irfftn(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor:
    """The real inverse of ``rfftn``.

    Args:
        input (Tensor): any dtype.
        s (tuple of int): the length of each transformed axis: longer inputs are cut, shorter ones
            filled with zeros. Default: None.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        norm (str): what is scaled: "backward" (or None) the inverse, "forward" the transform,
            "ortho" both by the square root. Default: None.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers, float16, bool and complex64."""
def is_complex(input: Tensor) -> bool:
    """Whether the dtype is complex.

    Args:
        input (Tensor): what is computed on.

    Returns:
        bool."""
def is_floating_point(input: Tensor) -> bool:
    """Whether the dtype is a float.

    Args:
        input (Tensor): what is computed on.

    Returns:
        bool."""
def is_nonzero(input: Tensor) -> bool:
    """Whether the one element is not zero.

    Args:
        input (Tensor): what is computed on.

    Returns:
        bool."""
def is_tensor(obj: Any) -> bool:
    """Whether ``obj`` is a Tensor.

    Args:
        obj: what is asked about.

    Returns:
        bool."""
def isclose(input: Tensor, other: Any, rtol: float = ..., atol: float = ..., equal_nan: bool = ...) -> Tensor:
    """|input - other| <= atol + rtol * |other|.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.
        rtol (float): how much they may differ, as a part of the second. Default: 1e-05.
        atol (float): how much they may differ beside that. Default: 1e-08.
        equal_nan (bool): whether nan equals nan. Default: False.

    Returns:
        Tensor, bool."""
def isfinite(input: Tensor) -> Tensor:
    """Whether input is neither infinite nor nan.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor, bool."""
def isinf(input: Tensor) -> Tensor:
    """Whether input is infinite.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor, bool."""
def isnan(input: Tensor) -> Tensor:
    """Whether input is not a number.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor, bool."""
def isneginf(input: Tensor) -> Tensor:
    """Whether ``input`` is -inf.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor, bool."""
def isposinf(input: Tensor) -> Tensor:
    """Whether ``input`` is +inf.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor, bool."""
def isreal(input: Tensor) -> Tensor:
    """Whether the imaginary part is 0.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor, bool."""
def jacfwd(fn: Callable[..., Any], grad_position: Any = ..., has_aux: bool = ...) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of ``fn``, one input element after the
    other.

    Arguments and result are those of ``jacrev``; quicker when the inputs are smaller
    than the outputs.

    Args:
        fn (function): what is worked on.
        grad_position (int or tuple of int): which arguments. Default: 0.
        has_aux (bool): whether the function gives more than what is differentiated. Default: False.

    Returns:
        function."""
def jacrev(fn: Callable[..., Any], grad_position: Any = ..., has_aux: bool = ...) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of ``fn``, one output element after the
    other.

    Args:
        fn (Callable[..., Any]): a function or Cell of tensors.
        grad_position: inputs to differentiate by: an int or a tuple of ints. Default: 0.
        has_aux (bool): only the first output is differentiated; the result is ``(jacobian, aux)``.
            Default: False.

    Returns:
        A function whose result has the shape ``output.shape + input.shape`` for each output and
        position, nested as ``[output][position]``; one position, or a tuple of one, nests nothing."""
def jet(fn: Callable[..., Any], primals: Any, series: Any) -> tuple[Any, Any]:
    """Return the output of ``fn`` along a curve and its derivatives by the curve's
    parameter.

    Args:
        fn (Callable[..., Any]): a function of tensors that returns one tensor, or a tuple of them.
        primals: where the curve starts: a tensor, or a tuple of them.
        series: the derivatives of the curve there, stacked along a new first axis (in the same form
            as ``primals``).

    Returns:
        ``(output, derivatives)``, the latter stacked along a new first axis; of several outputs two
        lists."""
def jvp(fn: Callable[..., Any], inputs: Any, v: Any, has_aux: bool = ...) -> tuple[Any, ...]:
    """Return the output of ``fn`` and its directional derivative along ``v``.

    Args:
        fn (Callable[..., Any]): a function or Cell of tensors.
        inputs: its argument, or a tuple or list of them.
        v: the direction, of the same form as ``inputs``.
        has_aux (bool): only the first output is differentiated, the others are returned as they
            are. Default: False.

    Returns:
        tuple of 2 Tensors, each float32."""
def kaiser_window(window_length: Any, periodic: bool = ..., beta: float = ..., *, dtype: Any = ...) -> Tensor:
    """I0(beta sqrt(1 - (2x - 1)^2)) / I0(beta), float64 by default.

    Args:
        window_length (int): how many points.
        periodic (bool): whether the window is one period of a longer one, not symmetric. Default:
            True.
        beta (number): the factor of the first operand. Default: 12.0.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, float64."""
def kernel(fn: Callable[..., Any] | None = ..., reg_info: Any = ..., compile_attrs: Any = ...) -> Any:
    """Return a function of MindSpore's hybrid loop language as one of NumPy arrays, which Custom
    takes too.

    The function may use ``output_tensor(shape, dtype)`` and ``allocate(shape, dtype)``, arrays of
    zeros; ``grid(shape)``, ``serial``, ``vectorize``, ``parallel`` and ``reduce``, which iterate
    over indices; ``block_realize`` and ``attr``, which change nothing; dtypes and functions of
    NumPy, ``rsqrt``, ``erf`` and ``ceil_div``.

    Args:
        fn (Callable, optional): the function. Default: ``None``, which gives a decorator.
        reg_info (str | tuple | dict, optional): of the op, kept with the function. Default: None.
        compile_attrs (dict, optional): of its compilation, which there is none of. Default: None.

    Returns:
        Callable, the function, or a decorator."""
def kl_div(logits: Tensor, labels: Tensor, reduction: str = ...) -> Tensor:
    """y * (log(y) - x), 0 where y is 0; x holds logarithms of probabilities, y probabilities.

    The labels get no gradient, as in MindSpore.

    Args:
        logits (Tensor): logarithms of probabilities; floats.
        labels (Tensor): probabilities.
        reduction (str): "mean", "batchmean" (the sum divided by the first length), "sum" or "none".
            Default: 'mean'.

    Returns:
        Tensor of the dtype of ``logits``."""
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: each element of ``input`` times the whole of ``other``.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def l1_loss(input: Tensor, target: Tensor, reduction: str = ...) -> Tensor:
    """|input - target|, reduced.

    Args:
        input (Tensor): floats, integers and complex64.
        target (Tensor): what should come out.
        reduction (str): "mean", "sum" or "none": what is done with the losses of all elements.
            Default: 'mean'.

    Returns:
        Tensor of the dtype of ``input``."""
def laplace(shape: Any, mean: Tensor, lambda_param: Tensor, seed: int | None = ...) -> Tensor:
    """Laplace numbers around ``mean`` with the scale ``lambda_param``.

    Args:
        shape (tuple of int): of what is drawn.
        mean (Tensor): the mean; any dtype.
        lambda_param (Tensor): the scale.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.

    Returns:
        Tensor of the dtype of ``mean``; float32 for integers, float16 and bool."""
def layer_norm(input: Tensor, normalized_shape: Any, weight: Any = ..., bias: Any = ..., eps: float = ...) -> Tensor:
    """(input - mean) / sqrt(variance + epsilon) * normalized_shape + weight, over axes ``begin_norm_axis`` and on.

    ``LayerNorm`` of ``input`` over its last axes, those of ``normalized_shape``.

    Args:
        input (Tensor): floats.
        normalized_shape (tuple of int): the last axes, which are normalised together.
        weight (Tensor): the weights. Default: None.
        bias (Tensor): what is added to each output channel; None adds nothing. Default: None.
        eps (float): a small number that keeps the divisor from zero. Default: 1e-05.

    Returns:
        Tensor of the dtype of ``input``."""
def lcm(input: Any, other: Any) -> Tensor:
    """The least common multiple of input and other.

    Args:
        input (Tensor): integers.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def ldexp(x: Tensor, other: Tensor) -> Tensor:
    """Compute x * 2^other.

    Args:
        x (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers, float16 and bool."""
def le(input: Any, other: Any) -> Tensor:
    """input <= other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def leaky_relu(input: Tensor, alpha: float = ...) -> Tensor:
    """Return input where input > 0, else alpha * input.

    Args:
        input (Tensor): floats, integers and bool.
        alpha (number): the factor. Default: 0.2.

    Returns:
        Tensor of the dtype of ``input``."""
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """input + weight * (end - input); the weight may be a number.

    ``Lerp``: input + weight * (end - input), of the dtype of ``input``.

    Args:
        input (Tensor): where the weight is 0; floats, integers and bool.
        end (Tensor): where the weight is 1.
        weight (Tensor or float): how far from the start to the end.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def less(input: Any, other: Any) -> Tensor:
    """input < other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def less_equal(input: Any, other: Any) -> Tensor:
    """input <= other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def lgamma(input: Tensor) -> Tensor:
    """log |Gamma(input)|.

    Args:
        input (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def linearize(fn: Callable[..., Any], inputs: Any) -> tuple[Any, Callable[..., Any]]:
    """Return the output of ``fn`` and a function that maps a tangent of the inputs to the
    output's.

    ``fn`` runs once, for any number of directions.

    Args:
        fn (Callable[..., Any]): a function or Cell of tensors.
        inputs: its argument, or a tuple or list of them.

    Returns:
        The output, and a function of one argument, a direction of the same form as ``inputs``."""
def linspace(start: Any, end: Any, steps: Any) -> Tensor:
    """Return ``steps`` numbers evenly spaced from ``start`` to ``end``.

    Args:
        start (number): the first; floats, integers and bool.
        end (number): where it ends.
        steps (int): how many.

    Returns:
        Tensor of the dtype of ``start``; float32 for integers and bool."""
def log(input: Tensor) -> Tensor:
    """The natural logarithm of input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def log10(input: Tensor) -> Tensor:
    """Compute the logarithm to base 10.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def log1p(input: Tensor) -> Tensor:
    """log(1 + input), exact for small input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def log2(input: Tensor) -> Tensor:
    """Compute the logarithm to base 2.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def log_matrix_determinant(input: Tensor) -> tuple[Tensor, Tensor]:
    """The sign of the determinant of each matrix, and the logarithm of its size.

    Args:
        input (Tensor): what is computed on.

    Returns:
        tuple of 2 Tensors, each float32."""
def log_softmax(logits: Tensor, axis: int = ...) -> Tensor:
    """log(softmax(logits)) along ``axis``.

    ``LogSoftmax`` of ``logits`` along ``axis``.

    Args:
        logits (Tensor): what came out; floats.
        axis (int): the axis along which it works; negative ones count from the last. Default: -1.

    Returns:
        Tensor of the dtype of ``logits``."""
def log_uniform_candidate_sampler(true_classes: Tensor, num_true: int = ..., num_sampled: int = ..., unique: bool = ..., range_max: int = ..., seed: int = ...) -> tuple[Tensor, Tensor, Tensor]:
    """Class numbers drawn with P(k) = log((k + 2) / (k + 1)) / log(range_max + 1). Seed 0, too,
    begins a private stream of the object.

    Args:
        true_classes (Tensor): the true class of each.
        num_true (int): how many true classes each has. Default: 1.
        num_sampled (int): how many classes are drawn. Default: 5.
        unique (bool): whether a class is drawn once only. Default: True.
        range_max (int): how many classes there are. Default: 5.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: 0.

    Returns:
        tuple of 3 Tensors, int64, float32, float32."""
def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """Compute log(e^input + e^other), without overflow.

    Args:
        input (Tensor): floats and integers.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers."""
def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """Compute log2(2^input + 2^other), without overflow.

    Args:
        input (Tensor): floats and integers.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers."""
def logcumsumexp(input: Tensor, axis: int) -> Tensor:
    """log(running sum of e^input) along ``axis``, without overflow.

    ``CumulativeLogsumexp`` of ``input`` along ``axis``.

    Args:
        input (Tensor): floats.
        axis (int): the axis along which it works; negative ones count from the last.

    Returns:
        Tensor of the dtype of ``input``."""
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant of ``input``, nan where that is negative.

    Args:
        input (Tensor): floats and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def logical_and(input: Any, other: Any) -> Tensor:
    """input and other; numbers count as ``input != 0``.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def logical_not(input: Tensor) -> Tensor:
    """not input; numbers count as ``input != 0``.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor, bool."""
def logical_or(input: Any, other: Any) -> Tensor:
    """input or other; numbers count as ``input != 0``.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def logical_xor(input: Any, other: Any) -> Tensor:
    """Either input or other, not both.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def logit(input: Tensor, eps: float | None = ...) -> Tensor:
    """log(input / (1 - input)), with input clipped to [eps, 1 - eps] if eps >= 0.

    Args:
        input (Tensor): floats.
        eps (float): a small number that keeps the divisor from zero. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def logsigmoid(x: Tensor) -> Tensor:
    """Compute log(sigmoid(x)), without overflow.

    Args:
        x (Tensor): floats.

    Returns:
        Tensor of the dtype of ``x``."""
def logspace(start: Any, end: Any, steps: int, base: Any = ..., *, dtype: Any = ...) -> Tensor:
    """Return ``base`` to the power of ``steps`` numbers evenly spaced from ``start`` to
    ``end``.

    Args:
        start (number): the first; floats, integers and bool.
        end (number): where it ends.
        steps (int): how many.
        base (number): of the powers. Default: 10.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: mindspore.float32.

    Returns:
        Tensor, float32."""
def logsumexp(input: Tensor, dim: Any, keepdim: bool = ...) -> Tensor:
    """Compute log(sum(e^input)) along ``dim``, without overflow.

    Args:
        input (Tensor): floats and integers.
        dim (int): the axis along which it works; negative ones count from the last.
        keepdim (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers."""
def lp_pool1d(x: Tensor, norm_type: float, kernel_size: int, stride: Any = ..., ceil_mode: bool = ...) -> Tensor:
    """Compute (sum of x^p in each window)^(1 / p) of x (N, C, L) or (C, L), with p =
    ``norm_type``.

    Args:
        x (Tensor): (N, C, L) or (C, L); floats, integers and bool.
        norm_type (float): p, not 0; 1 gives the sum.
        kernel_size (int): the length of a window.
        stride: from one window to the next; by default windows touch.
        ceil_mode (bool): a last window may reach beyond the end. Default: False.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def lp_pool2d(x: Tensor, norm_type: float, kernel_size: Any, stride: Any = ..., ceil_mode: bool = ...) -> Tensor:
    """Compute (sum of x^p in each window)^(1 / p) of images, with p = ``norm_type``.

    Args:
        x (Tensor): (N, C, H, W) or (C, H, W); floats, integers and bool.
        norm_type (float): p, not 0; 1 gives the sum.
        kernel_size: height and width of a window, or one number for both.
        stride: from one window to the next; by default windows touch.
        ceil_mode (bool): a last window may reach beyond the end. Default: False.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def lrn(x: Tensor, depth_radius: int = ..., bias: float = ..., alpha: float = ..., beta: float = ..., norm_region: str = ...) -> Tensor:
    """x / (bias + alpha * sum of x^2 over neighbouring channels) ^ beta.

    Args:
        x (Tensor): floats.
        depth_radius (int): how many channels on each side are neighbours. Default: 5.
        bias (float): keeps the base above 0. Default: 1.0.
        alpha (float): factor of the sum. Default: 1.0.
        beta (float): the exponent. Default: 0.5.
        norm_region (str): "ACROSS_CHANNELS". Default: 'ACROSS_CHANNELS'.

    Returns:
        Tensor of the dtype of ``x``."""
def lstsq(input: Tensor, A: Tensor) -> Tensor:
    """The x with the least |input @ x - A|, the shortest if there are many.

    ``Lstsq`` of ``input @ x = A``.

    Args:
        input (Tensor): the matrix; floats and complex64.
        A (Tensor): the right-hand side.

    Returns:
        Tensor of the dtype of ``input``."""
def lt(input: Any, other: Any) -> Tensor:
    """input < other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """The b of ``A @ b = rhs``, from the LU factors of A and their pivots.

    Args:
        b (Tensor): the right-hand side; floats and complex64.
        LU_data (Tensor): both triangles, as ``lu`` gives them.
        LU_pivots (Tensor): the rows that were swapped.

    Returns:
        Tensor of the dtype of ``b``."""
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = ..., unpack_pivots: bool = ...) -> tuple[Tensor, Tensor, Tensor]:
    """The permutation P, the lower triangle L and the upper one U with P @ L @ U the matrix.

    Args:
        LU_data (Tensor): both triangles, as ``lu`` gives them.
        LU_pivots (Tensor): the rows that were swapped.
        unpack_data (bool): kept for MindSpore's sake: L and U are always made. Default: True.
        unpack_pivots (bool): kept for MindSpore's sake: P is always made. Default: True.

    Returns:
        tuple of 3 Tensors, each float32."""
def make_range(*args: int) -> tuple[int, ...]:
    """Return ``range(*args)`` as a tuple.

    Args:
        *args (Tensor): the tensors, one argument each.

    Returns:
        tuple of int."""
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = ..., reduction: str = ...) -> Tensor:
    """max(0, -target * (input1 - input2) + margin), reduced.

    Args:
        input1 (Tensor): one of the two that are compared; floats and integers.
        input2 (Tensor): one of the two that are compared.
        target (Tensor): 1 or -1.
        margin (float): how far apart the right and the wrong ones have to be. Default: 0.0.
        reduction (str): "mean", "sum" or "none": what is done with the losses of all elements.
            Default: 'mean'.

    Returns:
        Tensor of the dtype of ``input1``; float32 for integers."""
def masked_fill(input_x: Tensor, mask: Tensor, value: Any) -> Tensor:
    """``input_x`` with ``value`` where ``mask`` holds.

    Args:
        input_x (Tensor): any dtype.
        mask (Tensor): bool; where it works.
        value (Tensor or number): what is written or filled in.

    Returns:
        Tensor of the dtype of ``input_x``."""
def masked_scatter(x: Tensor, mask: Tensor, tensor: Tensor) -> Tensor:
    """``x`` with the elements of ``tensor``, in order, where ``mask`` holds.

    Args:
        x (Tensor): bool.
        mask (Tensor): bool; where it works.
        tensor (Tensor): the elements that are put in, in order.

    Returns:
        Tensor, bool."""
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements of ``input`` where ``mask`` holds.

    Args:
        input (Tensor): bool.
        mask (Tensor): bool; where it works.

    Returns:
        Tensor, bool."""
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """numpy.matmul of two tensors of any ranks from 1.

    Args:
        input (Tensor): floats, integers and complex64.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def matrix_band_part(x: Tensor, lower: Any, upper: Any) -> Tensor:
    """The band from ``lower`` diagonals below to ``upper`` above the main one (-1: all).

    Args:
        x (Tensor): any dtype.
        lower (int): how many diagonals stay; -1 keeps all.
        upper (int): how many diagonals stay; -1 keeps all.

    Returns:
        Tensor of the dtype of ``x``."""
def matrix_determinant(input: Tensor) -> Tensor:
    """The determinant of each matrix.

    Args:
        input (Tensor): floats and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def matrix_diag(x: Tensor, k: Any = ..., num_rows: Any = ..., num_cols: Any = ..., padding_value: Any = ..., align: str = ...) -> Tensor:
    """Matrices with the diagonals ``k`` given by x.

    Args:
        x (Tensor): integers.
        k (int or tuple of int): which diagonal, or from which to which. Default: 0.
        num_rows (int): the shape of the matrix; -1 takes the least that holds the diagonals.
            Default: -1.
        num_cols (int): the shape of the matrix; -1 takes the least that holds the diagonals.
            Default: -1.
        padding_value (number): what fills the places that no diagonal reaches. Default: 0.
        align (str): where shorter diagonals stand: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT" or
            "RIGHT_RIGHT". Default: 'RIGHT_LEFT'.

    Returns:
        Tensor of the dtype of ``x``."""
def matrix_diag_part(x: Tensor, k: Any, padding_value: Any, align: str = ...) -> Tensor:
    """The diagonals ``k`` of matrices.

    Args:
        x (Tensor): integers.
        k (int or tuple of int): which diagonal, or from which to which.
        padding_value (number): what fills the places that no diagonal reaches.
        align (str): where shorter diagonals stand: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT" or
            "RIGHT_RIGHT". Default: 'RIGHT_LEFT'.

    Returns:
        Tensor of the dtype of ``x``."""
def matrix_exp(input: Tensor) -> Tensor:
    """The matrix exponential, the sum of input^k / k!.

    Args:
        input (Tensor): floats and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def matrix_norm(A: Tensor, ord: Any = ..., axis: Any = ..., keepdims: bool = ..., *, dtype: Any = ...) -> Tensor:
    """A norm of the matrices in the two axes ``axis``.

    Args:
        A (Tensor): the matrices; any dtype.
        ord: "fro" (root of the sum of squares), "nuc" (sum of the singular values), 2 and -2 (the
            greatest and smallest singular value), 1 and -1 (of the column sums), inf and -inf (of
            the row sums). Default: 'fro'.
        axis: rows and columns. Default: (-2, -1).
        keepdims (bool): keep the axes with length 1. Default: False.
        dtype: what to convert A to before. Default: None.

    Returns:
        Tensor of the dtype of ``A``; float32 for integers and bool."""
def matrix_power(input: Tensor, n: int) -> Tensor:
    """Each matrix multiplied with itself n times; n < 0 takes the inverse.

    Args:
        input (Tensor): floats, integers and complex64.
        n (int): the power.

    Returns:
        Tensor of the dtype of ``input``."""
def matrix_set_diag(x: Tensor, diagonal: Tensor, k: Any = ..., align: str = ...) -> Tensor:
    """Matrices ``x`` with the diagonals ``k`` replaced by ``diagonal``.

    Args:
        x (Tensor): integers.
        diagonal (Tensor): the numbers of the diagonals.
        k (int or tuple of int): which diagonal, or from which to which. Default: 0.
        align (str): where shorter diagonals stand: "RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT" or
            "RIGHT_RIGHT". Default: 'RIGHT_LEFT'.

    Returns:
        Tensor of the dtype of ``x``."""
def matrix_solve(matrix: Tensor, rhs: Tensor, adjoint: bool = ...) -> Tensor:
    """The x of ``matrix @ x = rhs``; with ``adjoint`` of the conjugate transpose.

    Args:
        matrix (Tensor): the matrix; floats and complex64.
        rhs (Tensor): the right-hand side.
        adjoint (bool): whether the matrix is transposed first, and conjugated. Default: False.

    Returns:
        Tensor of the dtype of ``matrix``."""
def max(input: Tensor, axis: int | None = ..., keepdims: bool = ..., *, initial: Any = ..., where: Any = ...) -> tuple[Tensor, Tensor]:
    """The greatest element along ``axis`` and its index; of the whole tensor, index 0.

    Args:
        input (Tensor): what is computed on.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.
        initial (number): what the comparison starts from. Default: None.
        where (Tensor): bool; the elements that count. Default: None.

    Returns:
        tuple of 2 Tensors, float32, int64."""
def max_pool2d(x: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = ..., dilation: Any = ..., return_indices: bool = ..., ceil_mode: bool = ...) -> Any:
    """Take the largest element of each window of x (N, C, H, W), and its flat index if
    asked for.

    Args:
        x (Tensor): floats and integers.
        kernel_size (int or tuple of int): the window, one number or one for each axis.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            None.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        dilation (int or tuple of int): how far apart the elements of a window are. Default: 1.
        return_indices (bool): whether the places come, too. Default: False.
        ceil_mode (bool): whether a last window that reaches over the border counts. Default: False.

    Returns:
        Tensor of the dtype of ``x``."""
def max_pool3d(x: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = ..., dilation: Any = ..., ceil_mode: bool = ..., return_indices: bool = ...) -> Any:
    """Take the largest element of each window of x (N, C, D, H, W), and its index if asked
    for.

    Args:
        x (Tensor): floats and integers.
        kernel_size (int or tuple of int): the window, one number or one for each axis.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            None.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        dilation (int or tuple of int): how far apart the elements of a window are. Default: 1.
        ceil_mode (bool): whether a last window that reaches over the border counts. Default: False.
        return_indices (bool): whether the places come, too. Default: False.

    Returns:
        Tensor of the dtype of ``x``."""
def max_unpool1d(x: Tensor, indices: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = ..., output_size: Any = ...) -> Tensor:
    """Undo a max pool: write each element of ``x`` to its index, zeros elsewhere.

    Args:
        x (Tensor): (N, C, L) or (C, L); any dtype.
        indices (Tensor): of the pool, of the shape of x.
        kernel_size: the length of the pool's windows.
        stride: from one window to the next; None or 0 for ``kernel_size``. Default: None.
        padding: what the pool added at each end. Default: 0.
        output_size: the shape, where the pool dropped a rest. Default: None.

    Returns:
        Tensor of the dtype of ``x``."""
def max_unpool2d(x: Tensor, indices: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = ..., output_size: Any = ...) -> Tensor:
    """Undo a max pool of images: write each element to its index, zeros elsewhere.

    Args:
        x (Tensor): any dtype.
        indices (Tensor): whole numbers that say where.
        kernel_size (int or tuple of int): the window, one number or one for each axis.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            None.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        output_size (int or tuple of int): of the result; None keeps an axis as it is. Default:
            None.

    Returns:
        The elements of x, zeros elsewhere."""
def max_unpool3d(x: Tensor, indices: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = ..., output_size: Any = ...) -> Tensor:
    """Undo a max pool of volumes: write each element to its index, zeros elsewhere.

    Args:
        x (Tensor): any dtype.
        indices (Tensor): whole numbers that say where.
        kernel_size (int or tuple of int): the window, one number or one for each axis.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            None.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        output_size (int or tuple of int): of the result; None keeps an axis as it is. Default:
            None.

    Returns:
        Tensor of the dtype of ``x``."""
def maximum(input: Any, other: Any) -> Tensor:
    """The greater of input and other; where they are equal, each gets half of the gradient.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def mean(x: Tensor, axis: Any = ..., keep_dims: bool = ..., *, dtype: Any = ...) -> Tensor:
    """The mean along ``axis``, all axes by default.

    Args:
        x (Tensor): floats, integers and complex64.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        keep_dims (bool): whether an axis that is reduced stays, with length 1. Default: False.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``x``."""
def median(input: Tensor, axis: int = ..., keepdims: bool = ...) -> tuple[Tensor, Tensor]:
    """The median along ``axis`` (the lower of two middle ones) and its index.

    Args:
        input (Tensor): what is computed on.
        axis (int): the axis to look along. Default: -1.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        tuple of 2 Tensors, float32, int64."""
def meshgrid(*inputs: Any, indexing: str = ...) -> tuple[Tensor, ...]:
    """Expand vectors to the coordinates of a grid.

    Args:
        *inputs (Tensor): the tensors, one argument each.
        indexing (str): "xy" as in pictures, or "ij" as in matrices. Default: 'xy'.

    Returns:
        tuple of 2 Tensors, each int64."""
def min(input: Tensor, axis: int | None = ..., keepdims: bool = ..., *, initial: Any = ..., where: Any = ...) -> tuple[Tensor, Tensor]:
    """The smallest element along ``axis`` and its index; of the whole tensor, index 0.

    Args:
        input (Tensor): what is computed on.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.
        initial (number): what the comparison starts from. Default: None.
        where (Tensor): bool; the elements that count. Default: None.

    Returns:
        tuple of 2 Tensors, float32, int64."""
def minimum(input: Any, other: Any) -> Tensor:
    """The smaller of input and other; where they are equal, each gets half of the gradient.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def mirror_pad(input_x: Tensor, paddings: Any, mode: str) -> Tensor:
    """Extend ``input_x`` by mirroring it at its edges.

    Args:
        input_x (Tensor): integers.
        paddings (int or tuple of int): how much is added before and after, axis by axis.
        mode (str): what is put there: "constant", "reflect", "symmetric", "edge" or "circular".

    Returns:
        Tensor of the dtype of ``input_x``."""
def mish(x: Tensor) -> Tensor:
    """x * tanh(softplus(x)).

    Args:
        x (Tensor): floats.

    Returns:
        Tensor of the dtype of ``x``."""
def mixed_precision_cast(dst_dtype: Any, x: Any) -> Any:
    """Cast the float tensors of ``x`` (one, or nested tuples, lists and dicts) to
    ``dst_dtype``.

    Args:
        dst_dtype (dtype): that floats become.
        x (Tensor): what is computed on.

    Returns:
        tuple of 2 Tensors, float16, int64."""
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices.

    Args:
        input (Tensor): floats, integers and complex64.
        mat2 (Tensor): a matrix (M, N), or several.

    Returns:
        Tensor of the dtype of ``input``."""
def moe_init_routing_v2(x: Tensor, expert_idx: Tensor, active_num: int, expert_capacity: int, expert_num: int, drop_pad_mode: int, expert_tokens_count_or_cumsum_flag: int, expert_tokens_before_capacity_flag: bool) -> tuple[Tensor, ...]:
    """Sort tokens by their experts, or put them into slots, equally many for each expert.

    Args:
        x (Tensor): (N, H), of float16, bfloat16 or float32.
        expert_idx (Tensor): the experts of each token, (N, K) of int32.
        active_num (int): without places, how many rows to keep; 0: all.
        expert_capacity (int): with places, how many each expert has, at most N.
        expert_num (int): how many experts there are, wherever they are counted.
        drop_pad_mode (int): 1: in places; rows that find none are dropped, and places without one
            are 0. 0: without.
        expert_tokens_count_or_cumsum_flag (int): without places, 2: count the rows of each expert;
            1: and of those before it; 0: neither.
        expert_tokens_before_capacity_flag (bool): with places, count the rows of each expert.

    Returns:
        ``(expanded_x, expanded_row_idx)``: (N * K, H), or fewer rows, or in places (E, C, H); the
        row where each expert of each token went, -1 where it was dropped, (N * K,) of int32. Behind
        them the counts, (E,) of int32, if they were asked for."""
def moe_token_permute(tokens: Tensor, indices: Tensor, num_out_tokens: int | None = ..., padded_mode: bool = ...) -> tuple[Tensor, Tensor]:
    """Tokens in the order of their experts, each as often as it has experts.

    Args:
        tokens (Tensor): (N, H), of float16, bfloat16 or float32.
        indices (Tensor): the experts of each token, (N, K) or (N,), of int32 or int64; K is at most
            512.
        num_out_tokens (int | None): how many to keep of those in order; None or 0: all. Default:
            None.
        padded_mode (bool): False, as on an Ascend. Default: False.

    Returns:
        ``(permuted, sorted_indices)``: (N * K, H), or fewer rows, and for each expert of each token
        the row where it went, (N * K,) of int32. Of one expert, earlier tokens come first."""
def moe_token_unpermute(permuted_tokens: Tensor, sorted_indices: Tensor, probs: Tensor | None = ..., padded_mode: bool = ..., restore_shape: Any = ...) -> Tensor:
    """Tokens as they were before ``moe_token_permute``, the K rows of each one added up.

    Args:
        permuted_tokens (Tensor): (N * K, H), of float16, bfloat16 or float32. Rows that were cut
            off are 0; float16 and float32.
        sorted_indices (Tensor): where each row went, (N * K,) of int32.
        probs (Tensor | None): the weights of the rows of each token, (N, K); None: K is 1. Products
            and sums are in float32, rounded to the dtype of ``probs``. Default: None.
        padded_mode (bool): False, as on an Ascend. Default: False.
        restore_shape: read in padded mode alone. Default: None.

    Returns:
        (N, H), of the dtype of ``permuted_tokens``."""
def move_to(input: Tensor, to: str = ..., blocking: bool = ...) -> Tensor:
    """Return ``input`` unchanged: ``to`` is ignored, since all tensors are on one device.

    Args:
        input (Tensor): any dtype.
        to (str): "CPU", "GPU" or "Ascend". Default: 'CPU'.
        blocking (bool): kept for MindSpore's sake. Default: True.

    Returns:
        Tensor of the dtype of ``input``."""
def moveaxis(x: Tensor, source: Any, destination: Any) -> Tensor:
    """Move the axes ``source`` to ``destination``; the others keep their order.

    Args:
        x (Tensor): any dtype.
        source (Tensor): where the elements come from.
        destination (int or tuple of int): where the axes go.

    Returns:
        Tensor of the dtype of ``x``."""
def movedim(x: Tensor, source: Any, destination: Any) -> Tensor:
    """Move the axes ``source`` to ``destination``; the others keep their order.

    Args:
        x (Tensor): any dtype.
        source (Tensor): where the elements come from.
        destination (int or tuple of int): where the axes go.

    Returns:
        Tensor of the dtype of ``x``."""
def mse_loss(input: Tensor, target: Tensor, reduction: str = ...) -> Tensor:
    """(input - target)^2, reduced; of integers in float32.

    Args:
        input (Tensor): floats, integers and complex64.
        target (Tensor): what should come out.
        reduction (str): "mean", "sum" or "none": what is done with the losses of all elements.
            Default: 'mean'.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers."""
def msort(input: Tensor) -> Tensor:
    """``input`` sorted along its first axis.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def mul(input: Any, other: Any) -> Tensor:
    """input * other.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def multi_margin_loss(input: Tensor, target: Tensor, p: int = ..., margin: float = ..., weight: Any = ..., reduction: str = ...) -> Tensor:
    """mean over j != t of weight[t] * max(0, margin - input[t] + input[j])^p, reduced.

    Args:
        input (Tensor): floats.
        target (Tensor): what should come out.
        p (int): 1 or 2. Default: 1.
        margin (float): how far the true class must be ahead. Default: 1.
        weight (Tensor): the weights. Default: None.
        reduction (str): "mean", "sum" or "none". Default: 'mean'.

    Returns:
        Tensor of the dtype of ``input``."""
def multi_scale_deformable_attn_function(value: Tensor, shape: Tensor, offset: Tensor, locations: Tensor, weight: Tensor) -> Tensor:
    """For each query and head, the weighted sum of the values at ``locations`` of the maps.

    Between the centres of cells it is interpolated, and beyond the border there are zeros. It
    computes in float32.

    Args:
        value (Tensor): the cells of all maps, row by row and map after map: (N, cells, heads,
            width), of float16 or float32; the width is a multiple of 8; float16 and float32.
        shape (Tensor): height and width of each map, (maps, 2), of int32 or int64.
        offset (Tensor): which cell is the first of each map, (maps,), of int32 or int64.
        locations (Tensor): x and y of each point, from 0 at the left and upper border to 1 at the
            others: (N, queries, heads, maps, points, 2), of float16 or float32.
        weight (Tensor): (N, queries, heads, maps, points), of float16 or float32.

    Returns:
        (N, queries, heads * width), of the dtype of ``value``."""
def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str = ...) -> Tensor:
    """The sum over true classes t and others j of max(0, 1 - (input[t] - input[j])) / C, reduced.

    Args:
        input (Tensor): floats.
        target (Tensor): what should come out.
        reduction (str): "mean", "sum" or "none". Default: 'mean'.

    Returns:
        Tensor of the dtype of ``input``."""
def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Any = ..., reduction: str = ...) -> Tensor:
    """The mean over classes of the cross entropy of sigmoid(input) and target, reduced.

    Args:
        input (Tensor): floats.
        target (Tensor): what should come out.
        weight (Tensor): the weights. Default: None.
        reduction (str): "mean", "sum" or "none": what is done with the losses of all elements.
            Default: 'mean'.

    Returns:
        Tensor of the dtype of ``input``."""
def multinomial(input: Tensor, num_samples: int, replacement: bool = ..., seed: int | None = ...) -> Tensor:
    """``num_samples`` category numbers (int32) drawn by the weights in each row of ``input``.

    Args:
        input (Tensor): how often each is drawn, not necessarily with sum 1; floats, integers and
            bool.
        num_samples (int): how many are drawn.
        replacement (bool): whether an element can be drawn twice. Default: True.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.

    Returns:
        Tensor, int32."""
def multinomial_with_replacement(x: Tensor, seed: int, offset: int, numsamples: int, replacement: bool = ...) -> Tensor:
    """Category numbers drawn by the weights x, int64, with or without replacement.

    ``MultinomialWithReplacement`` of the weights ``x``.

    Args:
        x (Tensor): how often each is drawn, not necessarily with sum 1; floats, integers and bool.
        seed (int): makes the draws repeat; with 0 or None the global seed decides.
        offset (int): moves the stream of random numbers.
        numsamples (int): how many are drawn.
        replacement (bool): whether an element can be drawn twice. Default: False.

    Returns:
        Tensor, int64."""
def multiply(input: Any, other: Any) -> Tensor:
    """input * other.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def mv(mat: Tensor, vec: Tensor) -> Tensor:
    """A matrix times a vector.

    Args:
        mat (Tensor): a matrix (M, N), or several; floats, integers and complex64.
        vec (Tensor): a vector.

    Returns:
        Tensor of the dtype of ``mat``."""
def mvlgamma(input: Tensor, p: int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension p.

    Args:
        input (Tensor): floats, integers and bool.
        p (int): the dimension.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def nan_to_num(input: Tensor, nan: float | None = ..., posinf: float | None = ..., neginf: float | None = ...) -> Tensor:
    """input with nan replaced by 0, and infinities by the largest finite numbers, or by the attributes.

    Args:
        input (Tensor): floats.
        nan (float): what stands for nan; None is 0. Default: None.
        posinf (float): what stands for the infinity; None is the greatest or the least number of
            the dtype. Default: None.
        neginf (float): what stands for the infinity; None is the greatest or the least number of
            the dtype. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def nanmean(input: Tensor, axis: Any = ..., keepdims: bool = ..., *, dtype: Any = ...) -> Tensor:
    """The mean along ``axis`` without NaNs.

    Args:
        input (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def nanmedian(input: Tensor, axis: int = ..., keepdims: bool = ...) -> tuple[Tensor, Tensor]:
    """The median along ``axis`` without NaNs, and its index.

    Args:
        input (Tensor): what is computed on.
        axis (int): the axis to look along. Default: -1.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        tuple of 2 Tensors, float32, int64."""
def nanquantile(input: Tensor, q: Any, axis: int | None = ..., keepdims: bool = ...) -> Tensor:
    """The number below which the share q of the elements along ``dim`` lies, interpolated.

    ``Quantile`` of ``input`` along ``axis``, without NaNs.

    Args:
        input (Tensor): floats.
        q (Tensor or float): which quantiles, from 0 to 1.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def nansum(input: Tensor, axis: Any = ..., keepdims: bool = ..., *, dtype: Any = ...) -> Tensor:
    """The sum along ``axis`` without NaNs, summed in the dtype of ``input`` (int64 for bool).

    Args:
        input (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def narrow(input: Tensor, axis: int, start: Any, length: int) -> Tensor:
    """The ``length`` slices from ``start`` on along ``axis``: a view.

    Args:
        input (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last.
        start (int): where it starts.
        length (int): how long.

    Returns:
        Tensor of the dtype of ``input``."""
def ne(input: Any, other: Any) -> Tensor:
    """input != other.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def neg(input: Tensor) -> Tensor:
    """-input.

    Args:
        input (Tensor): floats, integers and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def negative(input: Tensor) -> Tensor:
    """-input.

    Args:
        input (Tensor): floats, integers and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def new_ones(input: Tensor, size: Any, *, dtype: Any = ...) -> Tensor:
    """1 in the shape ``size``, by default in the dtype of ``input``.

    Args:
        input (Tensor): any; any dtype.
        size (int, tuple or list): the shape.
        dtype (mindspore.dtype): of the result. Default: None.

    Returns:
        Tensor"""
def new_zeros(input: Tensor, size: Any, *, dtype: Any = ...) -> Tensor:
    """0 in the shape ``size``, by default in the dtype of ``input``.

    Args:
        input (Tensor): any; any dtype.
        size (int, tuple or list): the shape.
        dtype (mindspore.dtype): of the result. Default: None.

    Returns:
        Tensor"""
def nextafter(input: Tensor, other: Tensor) -> Tensor:
    """The next number of the dtype after input in the direction of other.

    Args:
        input (Tensor): floats.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def nll_loss(inputs: Tensor, target: Tensor, weight: Any = ..., ignore_index: int = ..., reduction: str = ..., label_smoothing: float = ...) -> Tensor:
    """-weight[target] * inputs[target]; see ``NLLLoss``.

    Args:
        inputs (Tensor): log probabilities, (C,), (N, C) or (N, C, d1, ...); floats.
        target (Tensor): class numbers, (), (N,) or (N, d1, ...).
        weight: of each class, (C,). Default: None.
        ignore_index (int): this target counts nothing. Default: -100.
        reduction (str): "mean", "sum" or "none". Default: 'mean'.
        label_smoothing (float): how much of the target is spread over all classes, in [0, 1].
            Default: 0.0.

    Returns:
        Tensor of the dtype of ``inputs``."""
def nonzero(input: Tensor, *, as_tuple: bool = ...) -> Any:
    """The coordinates of the elements that are not zero: a row for each, or a vector per axis.

    Args:
        input (Tensor): any dtype.
        as_tuple (bool): whether each axis comes as a tensor of its own. Default: False.

    Returns:
        Tensor, int64."""
def norm(A: Tensor, ord: Any = ..., dim: Any = ..., keepdim: bool = ..., *, dtype: Any = ...) -> Tensor:
    """A norm of vectors or matrices.

    Args:
        A (Tensor): the tensor; any dtype.
        ord: None for the root of the sum of squares; else see ``vector_norm`` where one axis is
            meant and ``matrix_norm`` where two are. Default: None.
        dim: the axes; by default all of them, as one vector (as a matrix, if A is one and ord says
            a matrix norm).
        keepdim (bool): keep the axes with length 1. Default: False.
        dtype: what to convert A to before. Default: None.

    Returns:
        Tensor of the dtype of ``A``; float32 for integers and bool."""
def normal(shape: Any, mean: Any, stddev: Any, seed: int | None = ...) -> Tensor:
    """Normal numbers; ``shape`` broadcasts with those of ``mean`` and ``stddev``.

    Args:
        shape (tuple of int): of the result.
        mean (Tensor or float): the mean; any dtype.
        stddev (Tensor or float): the standard deviation.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.

    Returns:
        Tensor of the dtype of ``mean``; float32 for integers, float16 and bool."""
def normal_(input: Tensor, mean: Any = ..., std: Any = ..., *, generator: Any = ...) -> Tensor:
    """Make ``input`` numbers drawn from a normal distribution; returns it.

    Args:
        input (Tensor): any dtype.
        mean (Tensor or float): the mean. Default: 0.
        std (Tensor or float): the standard deviation. Default: 1.
        generator: the stream of random numbers; None draws from the global one. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def not_equal(input: Any, other: Any) -> Tensor:
    """input != other.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def numel(input: Tensor) -> int:
    """Return the number of elements of a tensor.

    Args:
        input (Tensor): what is computed on.

    Returns:
        int."""
def one_hot(indices: Tensor, depth: int, on_value: Any = ..., off_value: Any = ..., axis: int = ...) -> Tensor:
    """``on_value`` at each index along a new axis of length ``depth``, else ``off_value``.

    Args:
        indices (Tensor): the class of each.
        depth (int): how many classes.
        on_value (number): at the class; any dtype. Default: 1.
        off_value (number): everywhere else. Default: 0.
        axis (int): the axis along which it works; negative ones count from the last. Default: -1.

    Returns:
        Tensor of the dtype of ``on_value``."""
def ones(shape: Any, dtype: Any = ...) -> Tensor:
    """Return ones in ``shape``, float32 by default.

    Args:
        shape (tuple of int): of the result.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, float32."""
def ones_like(input: Tensor, *, dtype: Any = ...) -> Tensor:
    """Return ones in the shape of ``input``, in its dtype or ``dtype``.

    Args:
        input (Tensor): any dtype.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """The first columns of q from the result of ``Geqrf``.

    ``Orgqr`` of ``input`` with the factors ``input2``.

    Args:
        input (Tensor): floats, integers and complex64.
        input2 (Tensor): the factors of the reflections.

    Returns:
        Tensor of the dtype of ``input``."""
def ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool = ..., transpose: bool = ...) -> Tensor:
    """q (or q^T) times ``other``, or other times q; q as ``Geqrf`` gives it.

    Args:
        input (Tensor): floats, integers and complex64.
        tau (Tensor): the factors of the reflections.
        other (Tensor): the matrix that is multiplied.
        left (bool): q stands on the left. Default: True.
        transpose (bool): use q^T. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Each element of ``input`` times ``vec2``: the outer product of two vectors.

    Args:
        input (Tensor): any dtype.
        vec2 (Tensor): a vector.

    Returns:
        Tensor of the dtype of ``input``."""
def pad(input_x: Tensor, padding: Any, mode: str = ..., value: Any = ...) -> Tensor:
    """Add a border to ``input_x``.

    Args:
        input_x (Tensor): the tensor; any dtype.
        padding: (before, after) for the last axis, then for the one before it, and so on; negative
            numbers cut off, before the others are looked at.
        mode (str): "constant", "reflect" (mirrored), "replicate" (the edge repeated) or "circular".
            Default: 'constant'.
        value: what the border holds in mode "constant": 0 unless told otherwise. Default: None.

    Returns:
        Tensor of the dtype of ``input_x``."""
def padding(x: Tensor, pad_dim_size: int = ...) -> Tensor:
    """Extend the last axis, of length 1, with zeros to ``pad_dim_size``.

    Args:
        x (Tensor): any dtype.
        pad_dim_size (int): the length that the last axis gets. Default: 8.

    Returns:
        Tensor of the dtype of ``x``."""
def partial(*args: Any, **kwargs: Any) -> Callable[..., Any]:
    """Return the function ``args[0]`` with its first arguments bound.

    Args:
        *args (Tensor): the tensors, one argument each.
        **kwargs: given on as they are.

    Returns:
        partial."""
def pdist(input: Tensor, p: float = ...) -> Tensor:
    """The p-norm distance between each two rows of input: (..., N, M) -> (..., N * (N - 1) / 2).

    Args:
        input (Tensor): floats.
        p (float): the power of the distance. Default: 2.0.

    Returns:
        Tensor of the dtype of ``input``."""
def permute(input: Tensor, axis: Any) -> Tensor:
    """Return the tensor with its axes in the order ``axis``.

    Args:
        input (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last.

    Returns:
        Tensor of the dtype of ``input``."""
def pick(x: Tensor, axis: int, i: int) -> Tensor:
    """Return ``x[..., i, ...]`` at ``axis``, as a view.

    Args:
        x (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last.
        i (int): which.

    Returns:
        Tensor of the dtype of ``x``."""
def pinv(x: Tensor, *, atol: Any = ..., rtol: Any = ..., hermitian: bool = ...) -> Tensor:
    """The pseudo-inverse: singular values up to max(atol, rtol * the greatest) count as 0.

    Args:
        x (Tensor): floats and complex64.
        atol (float): how much they may differ beside that. Default: None.
        rtol (float): how much they may differ, as a part of the second. Default: None.
        hermitian (bool): whether the matrix is its own conjugate transpose. Default: False.

    Returns:
        Tensor of the dtype of ``x``."""
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Move channels into space: (..., C*r*r, H, W) -> (..., C, H*r, W*r).

    Args:
        input (Tensor): any dtype.
        upscale_factor (int): how many rows, and columns, become channels or come from them.

    Returns:
        Tensor of the dtype of ``input``."""
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Move space into channels: (..., C, H*r, W*r) -> (..., C*r*r, H, W).

    Args:
        input (Tensor): any dtype.
        downscale_factor (int): how many rows, and columns, become channels or come from them.

    Returns:
        Tensor of the dtype of ``input``."""
def poisson(shape: Any, mean: Tensor, seed: int | None = ...) -> Tensor:
    """Poisson numbers of the given means, int32; ``shape`` and the shape of ``mean`` broadcast.

    ``Poisson`` numbers.

    Args:
        shape (tuple of int): of what is drawn.
        mean (Tensor): the mean; floats.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.

    Returns:
        Tensor, int32."""
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """abs * (cos(angle) + sin(angle) * 1j).

    Args:
        abs (Tensor): of the complex numbers; integers, float32, float64 and bool.
        angle (Tensor): of the complex numbers.

    Returns:
        Tensor, complex64 for integers, float32 and bool, complex128 for float64."""
def polygamma(n: Any, input: Tensor) -> Tensor:
    """The a-th derivative of digamma at input; a is a whole number >= 0.

    ``Polygamma``: the n-th derivative of digamma at ``input``.

    Args:
        n (Tensor or int): which derivative.
        input (Tensor): floats.

    Returns:
        Tensor of the dtype of ``input``."""
def population_count(input_x: Tensor) -> Tensor:
    """The number of bits that are 1, as uint8.

    Args:
        input_x (Tensor): integers.

    Returns:
        Tensor, uint8."""
def positive(input: Tensor) -> Tensor:
    """Return ``input`` itself.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def pow(input: Any, exponent: Any) -> Tensor:
    """input^exponent.

    Args:
        input (Tensor): any dtype.
        exponent (Tensor or number): the power.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def pows(input: Any, exponent: Any) -> Tensor:
    """input^exponent.

    Args:
        input (Tensor): any dtype.
        exponent (Tensor or number): the power.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """input where input > 0, else weight * input, with one weight per channel (axis 1) or a single one.

    Args:
        input (Tensor): floats.
        weight (Tensor): the slope below zero: one, or one for each channel.

    Returns:
        Tensor of the dtype of ``input``."""
def prim_attr_register(fn: Callable[..., None]) -> Callable[..., None]:
    """Decorate an ``__init__``: before it runs, its arguments become attributes of the same
    names.

    Args:
        fn (function): what is worked on.

    Returns:
        function."""
def print_(*input_x: Any) -> None:
    """Write text and tensors to standard output.

    Args:
        *input_x (Tensor or str): what is printed.

    Returns:
        None."""
def prod(input: Tensor, axis: Any = ..., keep_dims: bool = ..., dtype: Any = ...) -> Tensor:
    """The product along ``axis``, by default all; of integers as int64, but not along a tuple.

    Args:
        input (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        keep_dims (bool): whether an axis that is reduced stays, with length 1. Default: False.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``; int64 for int32, uint8 and bool."""
def prompt_flash_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = ..., actual_seq_lengths: Any = ..., actual_seq_lengths_kv: Any = ..., pse_shift: Tensor | None = ..., deq_scale1: Any = ..., quant_scale1: Any = ..., deq_scale2: Any = ..., quant_scale2: Any = ..., quant_offset2: Any = ..., num_heads: int = ..., scale_value: float = ..., pre_tokens: int = ..., next_tokens: int = ..., input_layout: str = ..., num_key_value_heads: int = ..., sparse_mode: int = ..., inner_precise: int = ...) -> Tensor:
    """The attention of ``PromptFlashAttention``, in the shape and dtype of ``query``.

    Args:
        query (Tensor): (B, S1, N * D) or (B, N, S1, D), of float16 or bfloat16; float16.
        key (Tensor): (B, S2, M * D) or (B, M, S2, D), of ``num_key_value_heads`` heads.
        value (Tensor): like ``key``.
        attn_mask (Tensor | None): bool, int8, uint8 or float16, not 0 where a key does not count:
            (S1, S2), (1, S1, S2), (B, S1, S2), (1, 1, S1, S2) or (B, 1, S1, S2); in sparse modes 2
            to 4 (2048, 2048), with one or two axes of 1 before it, where it stands for the
            triangle. Default: None.
        actual_seq_lengths: how many queries of each row count, (B,). Default: None.
        actual_seq_lengths_kv: how many keys of each row count, (B,). Default: None.
        pse_shift (Tensor | None): what is added to the scores, (1, N, S1, S2) or (B, N, S1, S2), or
            larger, in the dtype of ``query``. Default: None.
        deq_scale1: of quantised numbers; must be None. Default: None.
        quant_scale1: must be None. Default: None.
        deq_scale2: must be None. Default: None.
        quant_scale2: must be None. Default: None.
        quant_offset2: must be None. Default: None.
        num_heads (int): heads of the query. Default: 1.
        scale_value (float): the factor of the scores. Default: 1.0.
        pre_tokens (int): how many keys before the query count, in sparse mode 4 and, with a mask,
            in 0. Default: 2147483647.
        next_tokens (int): the same, behind it. Default: 0.
        input_layout (str): see above. Default: 'BSH'.
        num_key_value_heads (int): heads of key and value; 0: as many as the query has. Default: 0.
        sparse_mode (int): which keys of a query do not count. 0: those of the mask, and those out
            of ``pre_tokens`` and ``next_tokens``; 1: those of the mask; 2: those behind the query,
            both counted from the first; 3: the same, counted from the last that count; 4: those out
            of the band, counted from the last. Default: 0.
        inner_precise (int): reserved. Default: 1.

    Returns:
        Tensor, float16."""
def ptp(input: Tensor, axis: Any = ..., keepdims: bool = ...) -> Tensor:
    """The greatest minus the smallest element along ``axis``.

    Args:
        input (Tensor): floats and integers.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = ...) -> Tensor:
    """Put ``source`` at the places ``index`` of ``input``, flattened, or add it; returns ``input``.

    Args:
        input (Tensor): integers.
        index (Tensor): whole numbers that say where.
        source (Tensor): where the elements come from.
        accumulate (bool): whether values are added, not written. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def qr(input: Tensor, mode: str = ...) -> tuple[Tensor, Tensor]:
    """input = q @ r with orthonormal columns in q and an upper triangle r.

    ``Qr`` of ``input``; mode "reduced" or "complete".

    Args:
        input (Tensor): what is computed on.
        mode (str): "reduced" or "complete". Default: 'reduced'.

    Returns:
        tuple of 2 Tensors, each float32."""
def quantile(input: Tensor, q: Any, axis: int | None = ..., keepdims: bool = ...) -> Tensor:
    """The number below which the share q of the elements along ``dim`` lies, interpolated.

    ``Quantile`` of ``input`` along ``axis``.

    Args:
        input (Tensor): floats.
        q (Tensor or float): which quantiles, from 0 to 1.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def rad2deg(x: Tensor) -> Tensor:
    """Convert radians to degrees.

    Args:
        x (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def rand(*size: Any, dtype: Any = ..., seed: int | None = ...) -> Tensor:
    """Numbers from [0, 1) in the shape ``size``.

    Args:
        *size (int): the lengths of the result, one argument each or as one tuple.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.

    Returns:
        Tensor, float32."""
def rand_like(input: Tensor, seed: int | None = ..., *, dtype: Any = ...) -> Tensor:
    """Numbers from [0, 1) in the shape and (by default) dtype of ``input``.

    Args:
        input (Tensor): floats.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def randint(low: int, high: int, size: Any, seed: int | None = ..., *, dtype: Any = ...) -> Tensor:
    """Integers from [low, high), int64 by default.

    Args:
        low (number): the least that is drawn.
        high (number): the bound that is not reached.
        size (tuple of int): of the result.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, int64."""
def randint_like(input: Tensor, low: int, high: int, seed: int | None = ..., *, dtype: Any = ...) -> Tensor:
    """Integers from [low, high) in the shape and (by default) dtype of ``input``.

    Args:
        input (Tensor): integers.
        low (number): the least that is drawn.
        high (number): the bound that is not reached.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def randn(*size: Any, dtype: Any = ..., seed: int | None = ...) -> Tensor:
    """Normal numbers of mean 0 and variance 1 in the shape ``size``.

    Args:
        *size (int): the lengths of the result, one argument each or as one tuple.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.

    Returns:
        Tensor, float32."""
def randn_like(input: Tensor, seed: int | None = ..., *, dtype: Any = ...) -> Tensor:
    """Normal numbers in the shape of ``input``, float32 by default.

    Args:
        input (Tensor): any dtype.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, float32."""
def random_(input: Tensor, from_: int = ..., to: int | None = ..., *, generator: Any = ...) -> Tensor:
    """Make ``input`` whole numbers drawn from [``from_``, ``to``); returns it.

    Args:
        input (Tensor): the Tensor to fill; any dtype.
        from_ (int): the smallest number. Default: 0.
        to (int | None): the end, which is not drawn; None: as large as the dtype allows. Default:
            None.
        generator: a Generator to draw from; None: the default one.

    Returns:
        Tensor of the dtype of ``input``."""
def random_categorical(logits: Tensor, num_sample: int, seed: int = ..., dtype: Any = ...) -> Tensor:
    """Category numbers drawn by softmax(logits), one row of ``num_sample`` for each row.

    Args:
        logits (Tensor): what came out; floats.
        num_sample (int): how many are drawn.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: 0.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: mindspore.int64.

    Returns:
        Tensor, int64."""
def random_gamma(shape: Any, alpha: Tensor, seed: int | None = ...) -> Tensor:
    """Gamma numbers of shape ``alpha`` and rate 1: ``shape`` of them for each alpha.

    ``RandomGamma`` numbers.

    Args:
        shape (tuple of int): of what is drawn for each.
        alpha (Tensor): the shape of the distribution; floats.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.

    Returns:
        Tensor of the dtype of ``alpha``."""
def random_poisson(shape: Any, rate: Tensor, seed: int | None = ..., dtype: Any = ...) -> Tensor:
    """Poisson numbers: ``shape`` of them for each rate, as ``dtype``.

    ``RandomPoisson`` numbers.

    Args:
        shape (tuple of int): of what is drawn.
        rate (Tensor): the mean; floats, integers and bool.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: mindspore.float32.

    Returns:
        Tensor, float32."""
def randperm(n: int, seed: int = ..., offset: int = ..., dtype: Any = ...) -> Tensor:
    """0 to n - 1 in random order, at each call the one that ``seed`` and ``offset`` decide.

    Args:
        n (int): how many numbers there are.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: 0.
        offset (int): moves the stream of random numbers. Default: 0.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: mindspore.int64.

    Returns:
        Tensor, int64."""
def range(start: Any, end: Any, step: Any, maxlen: int = ...) -> Tensor:
    """Return start, start + step, ... below ``end``, at most ``maxlen`` of them.

    Args:
        start (number): the first.
        end (number): where it ends.
        step (number): from one to the next.
        maxlen (int): the greatest length that is allowed. Default: 1000000.

    Returns:
        Tensor, int64."""
def rank(input_x: Tensor) -> int:
    """Return the number of axes of a tensor.

    Args:
        input_x (Tensor): what is computed on.

    Returns:
        int."""
def ravel(input: Tensor) -> Tensor:
    """Merge all axes into one.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def real(input: Tensor) -> Tensor:
    """The real part; a real input as it is.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for complex64."""
def reciprocal(input: Tensor) -> Tensor:
    """1 / input; integers give float32.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def reduce_all(x: Tensor, axis: Any = ...) -> Tensor:
    """Whether all elements along ``axis`` are true.

    ``ReduceAll`` of ``x`` along ``axis``.

    Args:
        x (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last. Default: ().

    Returns:
        Tensor, bool."""
def reduce_any(x: Tensor, axis: Any = ...) -> Tensor:
    """Whether any element along ``axis`` is true: a bool, or of uint8 a uint8 of 0 or 1.

    ``ReduceAny`` of ``x`` along ``axis``.

    Args:
        x (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last. Default: ().

    Returns:
        Tensor of the dtype of ``x``; bool for floats, int32, int64 and complex64."""
def reduce_max(x: Tensor, axis: Any = ...) -> Tensor:
    """The greatest element along ``axis``.

    ``ReduceMax`` of ``x`` along ``axis``.

    Args:
        x (Tensor): floats and integers.
        axis (int): the axis along which it works; negative ones count from the last. Default: ().

    Returns:
        Tensor of the dtype of ``x``."""
def reduce_mean(x: Tensor, axis: Any = ...) -> Tensor:
    """The mean along ``axis``; integers are averaged without their fraction.

    ``ReduceMean`` of ``x`` along ``axis``.

    Args:
        x (Tensor): floats, integers and complex64.
        axis (int): the axis along which it works; negative ones count from the last. Default: ().

    Returns:
        Tensor of the dtype of ``x``."""
def reduce_min(x: Tensor, axis: Any = ...) -> Tensor:
    """The smallest element along ``axis``.

    ``ReduceMin`` of ``x`` along ``axis``.

    Args:
        x (Tensor): floats and integers.
        axis (int): the axis along which it works; negative ones count from the last. Default: ().

    Returns:
        Tensor of the dtype of ``x``."""
def reduce_prod(x: Tensor, axis: Any = ...) -> Tensor:
    """The product along ``axis``.

    ``ReduceProd`` of ``x`` along ``axis``.

    Args:
        x (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last. Default: ().

    Returns:
        Tensor of the dtype of ``x``."""
def reduce_sum(x: Tensor, axis: Any = ...) -> Tensor:
    """The sum along ``axis``.

    ``ReduceSum`` of ``x`` along ``axis``.

    Args:
        x (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last. Default: ().

    Returns:
        Tensor of the dtype of ``x``."""
def relu(input: Tensor, inplace: bool = ...) -> Tensor:
    """max(input, 0). The slope at 0 is 0.

    ``ReLU`` of ``input``; with ``inplace`` also written to ``input``.

    Args:
        input (Tensor): floats, integers and bool.
        inplace (bool): whether the result goes into the input itself. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def relu6(x: Tensor) -> Tensor:
    """min(max(x, 0), 6).

    Args:
        x (Tensor): floats and integers.

    Returns:
        Tensor of the dtype of ``x``."""
def remainder(input: Any, other: Any) -> Tensor:
    """input - other * floor(input / other), with the sign of other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def renorm(input: Tensor, p: int, axis: int, maxnorm: float) -> Tensor:
    """input with each slice along ``dim`` scaled down to a p-norm of at most ``maxnorm``.

    Args:
        input (Tensor): any dtype.
        p (float): the power of the norm.
        axis (int): the axis along which it works; negative ones count from the last.
        maxnorm (float): the greatest norm that a slice may have.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def repeat_elements(x: Tensor, rep: int, axis: int = ...) -> Tensor:
    """Repeat each slice along ``axis`` ``rep`` times; ``x`` has at most 7 axes.

    Args:
        x (Tensor): any dtype.
        rep (int or Tensor): how often.
        axis (int): the axis along which it works; negative ones count from the last. Default: 0.

    Returns:
        Tensor of the dtype of ``x``."""
def repeat_interleave(input: Tensor, repeats: Any, axis: int | None = ..., output_size: int | None = ...) -> Tensor:
    """Repeat each slice along ``axis``, or each element without axis, ``repeats`` times.

    Args:
        input (Tensor): the tensor; any dtype.
        repeats: how often.
        axis (int | None): the axis, or None. Default: None.
        output_size (int | None): how many slices that makes, if known. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def reshape(input: Tensor, shape: Any) -> Tensor:
    """Return the elements of ``input`` in ``shape``; one length may be -1.

    Args:
        input (Tensor): any dtype.
        shape (tuple of int): of the result.

    Returns:
        Tensor of the dtype of ``input``."""
def reshape_(input: Tensor, shape: Any) -> Tensor:
    """Return the elements of ``input`` in ``shape``; one length may be -1.

    Args:
        input (Tensor): any dtype.
        shape (tuple of int): of the result.

    Returns:
        Tensor of the dtype of ``input``."""
def reverse(x: Tensor, axis: Any) -> Tensor:
    """Reverse the order of elements of ``x`` along ``axis``.

    Args:
        x (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last.

    Returns:
        Tensor of the dtype of ``x``."""
def reverse_sequence(x: Tensor, seq_lengths: Tensor, seq_dim: int, batch_dim: int = ...) -> Tensor:
    """Reverse the first ``seq_lengths[b]`` elements of each sequence b of ``x``.

    Args:
        x (Tensor): integers.
        seq_lengths (Tensor): how long each sequence is.
        seq_dim (int): the axis that is turned.
        batch_dim (int): the axis that the lengths belong to. Default: 0.

    Returns:
        Tensor of the dtype of ``x``."""
def rfft(input: Tensor, n: int | None = ..., dim: int = ..., norm: str | None = ...) -> Tensor:
    """The first half (n // 2 + 1 elements) of the Fourier transform of a real input.

    Args:
        input (Tensor): floats, integers and bool.
        n (int): the length of the axis: a longer input is cut, a shorter one filled with zeros;
            None keeps it. Default: None.
        dim (int): the axis along which it works; negative ones count from the last. Default: -1.
        norm (str): what is scaled: "backward" (or None) the inverse, "forward" the transform,
            "ortho" both by the square root. Default: None.

    Returns:
        Tensor, complex64 for integers, float16, float32 and bool, complex128 for float64."""
def rfft2(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor:
    """The first half of the transform of a real input along two axes.

    Args:
        input (Tensor): floats, integers and bool.
        s (tuple of int): the length of each transformed axis: longer inputs are cut, shorter ones
            filled with zeros. Default: None.
        dim (int): the axis along which it works; negative ones count from the last. Default: (-2,
            -1).
        norm (str): what is scaled: "backward" (or None) the inverse, "forward" the transform,
            "ortho" both by the square root. Default: None.

    Returns:
        Tensor, complex64 for integers, float16, float32 and bool, complex128 for float64."""
def rfftfreq(n: int, d: float = ..., dtype: Any = ...) -> Tensor:
    """The frequencies of ``rfft``, of n samples d apart.

    Args:
        n (int): the length of the axis: a longer input is cut, a shorter one filled with zeros;
            None keeps it.
        d (float): from one sample to the next. Default: 1.0.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, float32."""
def rfftn(input: Tensor, s: Any = ..., dim: Any = ..., norm: str | None = ...) -> Tensor:
    """The first half of the transform of a real input along several axes.

    Args:
        input (Tensor): floats, integers and bool.
        s (tuple of int): the length of each transformed axis: longer inputs are cut, shorter ones
            filled with zeros. Default: None.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        norm (str): what is scaled: "backward" (or None) the inverse, "forward" the transform,
            "ortho" both by the square root. Default: None.

    Returns:
        Tensor, complex64 for integers, float16, float32 and bool, complex128 for float64."""
def ring_attention_update(prev_attn_out: Tensor, prev_softmax_max: Tensor, prev_softmax_sum: Tensor, cur_attn_out: Tensor, cur_softmax_max: Tensor, cur_softmax_sum: Tensor, actual_seq_qlen: Any = ..., layout: str = ...) -> tuple[Tensor, Tensor, Tensor]:
    """Merge the attentions over two parts of the keys into the attention over all keys.

    Args:
        prev_attn_out (Tensor): the attention over the first keys, (S, B, N * D), or (T, N, D) in
            the layout TND, of float16, bfloat16 or float32.
        prev_softmax_max (Tensor): its largest scores, (B, N, S, 8), or (T, N, 8), of float32.
        prev_softmax_sum (Tensor): its sums of exponentials, of that shape.
        cur_attn_out (Tensor): the attention over the other keys.
        cur_softmax_max (Tensor): its largest scores.
        cur_softmax_sum (Tensor): its sums of exponentials.
        actual_seq_qlen: in the layout TND, where each sequence ends, from 0 on. Default: None.
        layout (str): SBH or TND. Default: 'SBH'.

    Returns:
        ``(attention, largest scores, sums)`` over both, in the shapes and dtypes of the first."""
def rint(input: Tensor) -> Tensor:
    """The nearest whole number, halves to the even one.

    Args:
        input (Tensor): floats and integers.

    Returns:
        Tensor of the dtype of ``input``."""
def rms_norm(x: Tensor, gamma: Tensor, epsilon: float = ...) -> tuple[Tensor, Tensor]:
    """x / sqrt(mean(x^2) + epsilon) * gamma, over the last axes, those that gamma has.

    Args:
        x (Tensor): what is computed on.
        gamma (Tensor): the learned factor of each element of the normalised axes.
        epsilon (float): a small number that keeps the divisor from zero. Default: 1e-06.

    Returns:
        tuple of 2 Tensors, each float32."""
def roll(input: Tensor, shifts: Any, dims: Any = ...) -> Tensor:
    """Shift ``input`` along ``dims``; elements that leave at one end enter at the other.

    Args:
        input (Tensor): any dtype.
        shifts (int or tuple of int): how far each axis moves.
        dims (int or tuple of int): which axes. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def rot90(input: Tensor, k: int, dims: Any) -> Tensor:
    """Rotate ``input`` ``k`` times by 90 degrees, from the first of ``dims`` towards the
    second.

    Args:
        input (Tensor): any dtype.
        k (int): which diagonal: 0 the main one, above it positive, below negative.
        dims (tuple of int): the axes along which it works; negative ones count from the last.

    Returns:
        Tensor of the dtype of ``input``."""
def rotary_position_embedding(x: Tensor, cos: Tensor, sin: Tensor, mode: int = ...) -> Tensor:
    """Return x * cos + rotated * sin, where rotated has pairs (a, b) of x as (-b, a).

    Args:
        x (Tensor): (B, N, S, D), or in another order of these axes, of an even D; float16 and
            float32.
        cos (Tensor): of 4 axes that broadcast to those of x.
        sin (Tensor): like ``cos``.
        mode (int): 0: the pairs are elements i and i + D / 2; 1: elements 2 i and 2 i + 1. Default:
            0.

    Returns:
        Tensor of the dtype of ``x``."""
def rotated_iou(boxes: Tensor, query_boxes: Tensor, trans: bool = ..., mode: int = ..., is_cross: bool = ..., v_threshold: float = ..., e_threshold: float = ...) -> Tensor:
    """The shares of ``RotatedIou``, in the dtype of ``boxes``.

    Args:
        boxes (Tensor): (B, N, 5), of float16, bfloat16 or float32: x and y of the middle, width,
            height, and the angle in degrees; float16 and float32.
        query_boxes (Tensor): (B, K, 5), of one of these dtypes.
        trans (bool): (x1, y1, x2, y2, angle) instead: of the corners before they are turned.
            Default: False.
        mode (int): 0: the common area over that of both; 1: over that of ``boxes``. Default: 0.
        is_cross (bool): True: each with each; False: the i-th with the i-th, and 0 elsewhere.
            Default: True.
        v_threshold (float): tolerance of an Ascend's vertices; exact areas need none. Default: 0.0.
        e_threshold (float): tolerance of its edges. Default: 0.0.

    Returns:
        Tensor of the dtype of ``boxes``."""
def round(input: Tensor, decimals: int = ...) -> Tensor:
    """input rounded to ``decimals`` places, halves to the even one.

    ``Round`` of ``input`` to ``decimals`` places.

    Args:
        input (Tensor): floats and integers.
        decimals (int): how many places behind the point stay. Default: 0.

    Returns:
        Tensor of the dtype of ``input``."""
def row_stack(tensors: Any) -> Tensor:
    """Join tensors one below the other: along axis 0, vectors as rows.

    Args:
        tensors (tuple or list of Tensor): the tensors.

    Returns:
        Tensor, int64."""
def rrelu(input: Tensor, lower: float = ..., upper: float = ...) -> Tensor:
    """Return input where input >= 0, else input times a number drawn from [lower, upper).

    Args:
        input (Tensor): floats, integers and bool.
        lower (float): the least slope that is drawn. Default: 0.125.
        upper (float): the greatest slope that is drawn. Default: 0.3333333333333333.

    Returns:
        Tensor of the dtype of ``input``."""
def rsqrt(input: Tensor) -> Tensor:
    """1 / sqrt(input).

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def scalar_cast(input_x: Any, input_y: Any) -> Any:
    """Convert a Python number to another type of number.

    Args:
        input_x (number): what is cast.
        input_y (dtype): to what.

    Returns:
        int."""
def scalar_to_array(input_x: Any) -> Tensor:
    """Convert a Python number to a tensor of the number's own type.

    Args:
        input_x (Tensor): what is computed on.

    Returns:
        Tensor, float32."""
def scalar_to_tensor(input_x: Any, dtype: Any = ...) -> Tensor:
    """Convert a Python number to a tensor, float32 by default.

    Args:
        input_x (Tensor): what is computed on.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: mindspore.float32.

    Returns:
        Tensor, int32."""
def scatter(input: Tensor, axis: int, index: Tensor, src: Any) -> Tensor:
    """``input`` with ``src`` (a tensor or number) at ``index`` along ``axis``.

    Args:
        input (Tensor): what the updates go into; any dtype.
        axis (int): the axis that the indices count along.
        index (Tensor): whole numbers that say where.
        src (Tensor): where the elements come from.

    Returns:
        Tensor of the dtype of ``input``."""
def scatter_add(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The Parameter ``input_x`` with ``updates`` added to its rows ``indices``.

    Args:
        input_x (Parameter): what is written to; any dtype.
        indices (Tensor): which rows.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.

    Returns:
        Tensor of the dtype of ``input_x``."""
def scatter_div(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The Parameter ``input_x`` with its rows ``indices`` divided by ``updates``.

    Args:
        input_x (Parameter): what is written to; any dtype.
        indices (Tensor): which rows.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.

    Returns:
        Tensor of the dtype of ``input_x``."""
def scatter_max(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The Parameter ``input_x`` or ``updates``, the greater, in rows ``indices``.

    Args:
        input_x (Parameter): what is written to; any dtype.
        indices (Tensor): which rows.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.

    Returns:
        Tensor of the dtype of ``input_x``."""
def scatter_min(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The Parameter ``input_x`` or ``updates``, the lesser, in rows ``indices``.

    Args:
        input_x (Parameter): what is written to; any dtype.
        indices (Tensor): which rows.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.

    Returns:
        Tensor of the dtype of ``input_x``."""
def scatter_mul(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The Parameter ``input_x`` with its rows ``indices`` multiplied by ``updates``.

    Args:
        input_x (Parameter): what is written to; any dtype.
        indices (Tensor): which rows.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.

    Returns:
        Tensor of the dtype of ``input_x``."""
def scatter_nd(indices: Tensor, updates: Tensor, shape: Any) -> Tensor:
    """Zeros of ``shape`` with ``updates`` added at the coordinates ``indices``.

    Args:
        indices (Tensor): which elements: the last axis holds one position each.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick; any dtype.
        shape (tuple of int): of the result.

    Returns:
        Tensor of the dtype of ``updates``."""
def scatter_nd_add(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = ...) -> Tensor:
    """The Parameter ``input_x`` with ``updates`` added at coordinates.

    Args:
        input_x (Tensor): what the updates go into.
        indices (Tensor): which elements: the last axis holds one position each.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.
        use_locking (bool): kept for MindSpore's sake: writes are in order. Default: False.

    Returns:
        Tensor, float32."""
def scatter_nd_div(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = ...) -> Tensor:
    """The Parameter ``input_x`` at coordinates divided by ``updates``.

    Args:
        input_x (Tensor): what the updates go into.
        indices (Tensor): which elements: the last axis holds one position each.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.
        use_locking (bool): kept for MindSpore's sake: writes are in order. Default: False.

    Returns:
        Tensor, float32."""
def scatter_nd_max(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = ...) -> Tensor:
    """The Parameter ``input_x`` or ``updates``, the greater, at coordinates.

    Args:
        input_x (Tensor): what the updates go into.
        indices (Tensor): which elements: the last axis holds one position each.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.
        use_locking (bool): kept for MindSpore's sake: writes are in order. Default: False.

    Returns:
        Tensor, float32."""
def scatter_nd_min(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = ...) -> Tensor:
    """The Parameter ``input_x`` or ``updates``, the lesser, at coordinates.

    Args:
        input_x (Tensor): what the updates go into.
        indices (Tensor): which elements: the last axis holds one position each.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.
        use_locking (bool): kept for MindSpore's sake: writes are in order. Default: False.

    Returns:
        Tensor, float32."""
def scatter_nd_mul(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = ...) -> Tensor:
    """The Parameter ``input_x`` at coordinates multiplied by ``updates``.

    Args:
        input_x (Tensor): what the updates go into.
        indices (Tensor): which elements: the last axis holds one position each.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.
        use_locking (bool): kept for MindSpore's sake: writes are in order. Default: False.

    Returns:
        Tensor, float32."""
def scatter_nd_sub(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = ...) -> Tensor:
    """The Parameter ``input_x`` with ``updates`` subtracted at coordinates.

    Args:
        input_x (Tensor): what the updates go into.
        indices (Tensor): which elements: the last axis holds one position each.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.
        use_locking (bool): kept for MindSpore's sake: writes are in order. Default: False.

    Returns:
        Tensor, float32."""
def scatter_nd_update(input_x: Tensor, indices: Tensor, updates: Tensor, use_locking: bool = ...) -> Tensor:
    """The Parameter ``input_x`` with ``updates`` at coordinates.

    Args:
        input_x (Tensor): what the updates go into.
        indices (Tensor): which elements: the last axis holds one position each.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.
        use_locking (bool): kept for MindSpore's sake: writes are in order. Default: False.

    Returns:
        Tensor, float32."""
def scatter_update(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The Parameter ``input_x`` with ``updates`` as its rows ``indices``.

    Args:
        input_x (Parameter): what is written to; any dtype.
        indices (Tensor): which rows.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.

    Returns:
        Tensor of the dtype of ``input_x``."""
def searchsorted(sorted_sequence: Tensor, values: Any, *, out_int32: bool = ..., right: bool = ..., side: str | None = ..., sorter: Any = ...) -> Tensor:
    """The index at which each value would be inserted into the sorted last axis of
    ``sorted_sequence``.

    Args:
        sorted_sequence (Tensor): in order; any dtype.
        values (Tensor): what is looked for.
        out_int32 (bool): whether indices are int32, not int64. Default: False.
        right (bool): whether an interval holds its right end, not its left. Default: False.
        side (str): "left" or "right": where among equal elements. Default: None.
        sorter (Tensor): the indices that put the sequence in order. Default: None.

    Returns:
        Tensor, int64."""
def select(condition: Tensor, input: Any, other: Any) -> Tensor:
    """``input`` where ``condition`` holds, else ``other``.

    Args:
        condition (Tensor): bool; what to choose by.
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def select_scatter(input: Tensor, src: Tensor, axis: int, index: int) -> Tensor:
    """``input`` with ``src`` as its slice ``index`` along ``axis``.

    Args:
        input (Tensor): any dtype.
        src (Tensor): what is put in.
        axis (int): the axis along which it works; negative ones count from the last.
        index (Tensor): whole numbers that say where.

    Returns:
        Tensor of the dtype of ``input``."""
def selu(input_x: Tensor) -> Tensor:
    """1.0507 * (input_x where input_x > 0, else 1.6733 * (e^input_x - 1)): keeps mean 0 and variance 1.

    For int8 and int32 the factors are truncated to 1, as in MindSpore: input_x where input_x > 0, else e^input_x - 1
    rounded towards 0.

    Args:
        input_x (Tensor): floats and int32.

    Returns:
        Tensor of the dtype of ``input_x``."""
def sequence_mask(lengths: Tensor, maxlen: Any = ...) -> Tensor:
    """Return a mask, True at the first ``lengths[i]`` positions of row i.

    Without ``maxlen`` rows are as long as the greatest length.

    Args:
        lengths (Tensor): how long each sequence is; integers.
        maxlen (int): the greatest length that is allowed. Default: None.

    Returns:
        Tensor, bool."""
def sgn(input: Tensor) -> Tensor:
    """Return -1, 0 or 1 as ``input`` is negative, zero or positive; input / |input| if
    complex.

    Args:
        input (Tensor): floats, integers and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def shape(input_x: Tensor) -> tuple[int, ...]:
    """Return the shape of a tensor as a tuple of ints.

    Args:
        input_x (Tensor): what is computed on.

    Returns:
        tuple of int."""
def shape_(input_x: Tensor) -> tuple[int, ...]:
    """Return the shape of a tensor as a tuple of ints.

    Args:
        input_x (Tensor): what is computed on.

    Returns:
        tuple of int."""
def shape_mul(input_data: Any) -> int:
    """Return the product of the lengths of a shape.

    Args:
        input_data (tuple of int): what is computed on.

    Returns:
        int."""
def shuffle(x: Tensor, seed: int | None = ...) -> Tensor:
    """The rows of x (along axis 0) in random order.

    Args:
        x (Tensor): any dtype.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.

    Returns:
        Tensor of the dtype of ``x``."""
def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + e^-input).

    Args:
        input (Tensor): floats and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1 for a negative, zero (or NaN) or positive input; input / |input| for a complex input.

    Args:
        input (Tensor): floats, integers and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def signbit(input: Tensor) -> Tensor:
    """Whether ``input`` is negative.

    Args:
        input (Tensor): floats, integers and bool.

    Returns:
        Tensor, bool."""
def silu(input: Tensor) -> Tensor:
    """input * sigmoid(input).

    Args:
        input (Tensor): floats.

    Returns:
        Tensor of the dtype of ``input``."""
def sin(input: Tensor) -> Tensor:
    """The sine of input (radians).

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def sinc(input: Tensor) -> Tensor:
    """sin(pi input) / (pi input), and 1 at 0.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def sinh(input: Tensor) -> Tensor:
    """The hyperbolic sine of input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def size(input_x: Tensor) -> int:
    """Return the number of elements of a tensor.

    Args:
        input_x (Tensor): what is computed on.

    Returns:
        int."""
def slice(input_x: Tensor, begin: Any, size: Any) -> Tensor:
    """Return the block of ``input_x`` that starts at ``begin`` and has the lengths
    ``size``.

    Args:
        input_x (Tensor): any dtype.
        begin (tuple of int): where it starts, axis by axis.
        size (tuple of int): how long it is, axis by axis.

    Returns:
        Tensor of the dtype of ``input_x``."""
def slice_scatter(input: Tensor, src: Tensor, axis: int = ..., start: Any = ..., end: Any = ..., step: int = ...) -> Tensor:
    """``input`` with ``src`` as its slices start:end:step along ``axis``.

    Args:
        input (Tensor): any dtype.
        src (Tensor): what is put in.
        axis (int): the axis along which it works; negative ones count from the last. Default: 0.
        start (number): the first. Default: None.
        end (number): where it ends. Default: None.
        step (number): from one to the next. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def slogdet(input: Tensor) -> tuple[Tensor, Tensor]:
    """The sign of the determinant of each matrix, and the logarithm of its size.

    Args:
        input (Tensor): what is computed on.

    Returns:
        tuple of 2 Tensors, each float32."""
def smooth_l1_loss(input: Tensor, target: Tensor, beta: float = ..., reduction: str = ...) -> Tensor:
    """d^2 / (2 beta) where d = |input - target| < beta, else d - beta / 2.

    Args:
        input (Tensor): floats.
        target (Tensor): what should come out.
        beta (float): where the parabola ends, > 0 (0 gives d itself). Default: 1.0.
        reduction (str): "none", "mean" or "sum". Default: 'none'.

    Returns:
        Tensor of the dtype of ``input``."""
def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = ...) -> Tensor:
    """log(1 + e^(-target * input)), target -1 or 1.

    Args:
        input (Tensor): floats.
        target (Tensor): what should come out.
        reduction (str): "mean", "sum" or "none". Default: 'mean'.

    Returns:
        Tensor of the dtype of ``input``."""
def soft_shrink(input: Tensor, lambd: float = ...) -> Tensor:
    """sign(input) * max(|input| - lambd, 0), for lambd >= 0.

    Args:
        input (Tensor): floats.
        lambd (float): half the width of the zone that becomes zero. Default: 0.5.

    Returns:
        Tensor of the dtype of ``input``."""
def softmax(input: Tensor, axis: Any = ..., *, dtype: Any = ...) -> Tensor:
    """e^input / sum(e^input) along ``axis`` (an int, or a tuple of them).

    ``Softmax`` of ``input`` (as ``dtype``) along ``axis``.

    Args:
        input (Tensor): floats.
        axis (int): the axis along which it works; negative ones count from the last. Default: -1.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def softmin(x: Tensor, axis: Any = ..., *, dtype: Any = ...) -> Tensor:
    """Compute softmax(-x) along ``axis``.

    Args:
        x (Tensor): floats.
        axis (int): the axis along which it works; negative ones count from the last. Default: -1.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``x``."""
def softplus(input: Tensor, beta: float = ..., threshold: float = ...) -> Tensor:
    """Compute log(1 + e^(beta * input)) / beta; input itself where beta * input >
    threshold.

    Args:
        input (Tensor): floats.
        beta (number): the factor of the first operand. Default: 1.
        threshold (float): the bound. Default: 20.

    Returns:
        Tensor of the dtype of ``input``."""
def softshrink(input: Tensor, lambd: float = ...) -> Tensor:
    """sign(input) * max(|input| - lambd, 0), for lambd >= 0.

    Args:
        input (Tensor): floats.
        lambd (float): half the width of the zone that becomes zero. Default: 0.5.

    Returns:
        Tensor of the dtype of ``input``."""
def softsign(x: Tensor) -> Tensor:
    """x / (1 + |x|).

    Args:
        x (Tensor): floats.

    Returns:
        Tensor of the dtype of ``x``."""
def sort(input_x: Tensor, axis: int = ..., descending: bool = ..., stable: bool = ...) -> tuple[Tensor, Tensor]:
    """``input_x`` sorted along ``axis``, and where its elements were.

    Args:
        input_x (Tensor): what is computed on.
        axis (int): the axis along which it works; negative ones count from the last. Default: -1.
        descending (bool): whether the greatest comes first. Default: False.
        stable (bool): whether equal elements keep their order. Default: True.

    Returns:
        tuple of 2 Tensors, float32, int32."""
def space_to_batch_nd(input_x: Tensor, block_size: Any, paddings: Any) -> Tensor:
    """Pad space with zeros and move its blocks into the batch axis.

    Args:
        input_x (Tensor): any dtype.
        block_size (int): how many rows, and columns, become channels or come from them.
        paddings (tuple of tuple): how much is added before and after, axis by axis.

    Returns:
        Tensor of the dtype of ``input_x``."""
def sparse_segment_mean(x: Tensor, indices: Tensor, segment_ids: Tensor) -> Tensor:
    """The mean of the slices of each segment, 0 where there is none.

    Args:
        x (Tensor): float, the slices are along its first axis; floats.
        indices (Tensor): int32 or int64 (n,), which slices.
        segment_ids (Tensor): int32 or int64 (n,), in order: the segment of each.

    Returns:
        Tensor, as many slices as segments."""
def speed_fusion_attention(query: Tensor, key: Tensor, value: Tensor, head_num: int, input_layout: str, *, pse: Tensor | None = ..., padding_mask: Any = ..., atten_mask: Tensor | None = ..., scale: float = ..., keep_prob: float = ..., pre_tokens: int = ..., next_tokens: int = ..., inner_precise: int = ..., prefix: Any = ..., actual_seq_qlen: Any = ..., actual_seq_kvlen: Any = ..., sparse_mode: int = ..., gen_mask_parallel: bool = ..., sync: bool = ..., pse_type: int = ..., q_start_idx: Any = ..., kv_start_idx: Any = ...) -> tuple[Tensor, ...]:
    """Softmax of the scores of those keys that count, with dropout, times ``value``, of each head.

    It is the attention of ``FlashAttentionScore``, which says what the layouts and the sparse
    modes are; here dropout draws its own coins, and positions can be ALiBi's. As there, what is
    computed is float32, and a query of which no key counts gives 0.

    Args:
        query (Tensor): (B, S, N * D) in the layout BSH, (S, B, N * D) in SBH, (B, N, S, D) in BNSD,
            (B, S, N, D) in BSND, (T, N, D) in TND; of float16, bfloat16 or float32.
        key (Tensor): of as many or fewer heads.
        value (Tensor): like ``key``.
        head_num (int): heads of the query.
        input_layout (str): see ``query``.
        pse (Tensor | None): positions; see ``pse_type``. Default: None.
        padding_mask: reserved. Default: None.
        atten_mask (Tensor | None): bool or uint8, true where a key does not count. Default: None.
        scale (float): the factor of the scores. Default: 1.0.
        keep_prob (float): how probable it is that a weight is kept, in (0, 1]. Default: 1.0.
        pre_tokens (int): how many keys before the query count, in sparse mode 4 and, with a mask,
            in 0. Default: 2147483647.
        next_tokens (int): the same, behind it. Default: 2147483647.
        inner_precise (int): reserved. Default: 0.
        prefix: in sparse mode 5, how many keys count in each sequence whatever the query. Default:
            None.
        actual_seq_qlen: in the layout TND, where each sequence of queries ends. Default: None.
        actual_seq_kvlen: the same of keys. Default: None.
        sparse_mode (int): 0 to 5, as in FlashAttentionScore; without a mask all keys count.
            Default: 0.
        gen_mask_parallel (bool): reserved. Default: True.
        sync (bool): reserved. Default: False.
        pse_type (int): 0: ``pse``, (B, N, S1, S2) or (1, N, S1, S2) of the dtype of ``query``, is
            added to the scaled scores; 1: to the scores before they are scaled; 2: ``pse``, (N,) or
            (B, N) of float32, are slopes, and minus the distance of query and key times the slope
            is added to the scaled scores; 3: the same with the root of the distance. Default: 1.
        q_start_idx: one int: where the first query stands, in ``pse_type`` 2 and 3. Default: None.
        kv_start_idx: the same of the first key. Default: None.

    Returns:
        ``(attention, largest scores, sums of exponentials, nothing, seed, offset, numels)``: the
        second and third (B, N, S, 8), in TND (T, N, 8), of float32, as FlashAttentionScore makes
        them; the last three int64, the seed that the common stream of random numbers started from,
        0, and how many weights there are. The attention alone is differentiated."""
def split(tensor: Tensor, split_size_or_sections: Any, axis: int = ...) -> tuple[Tensor, ...]:
    """Split a tensor into parts of one length (the last may be shorter), or of given
    lengths.

    Args:
        tensor (Tensor): what is computed on.
        split_size_or_sections (int or tuple of int): how long each part is.
        axis (int): the axis along which it works; negative ones count from the last. Default: 0.

    Returns:
        tuple of 3 Tensors, each float64."""
def sqrt(x: Tensor) -> Tensor:
    """The square root of x.

    Args:
        x (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def square(input: Tensor) -> Tensor:
    """input^2.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def squeeze(input: Tensor, axis: Any = ...) -> Tensor:
    """Remove the axes of length 1: all of them, or those among ``axis``.

    Args:
        input (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def stack(tensors: Any, axis: int = ...) -> Tensor:
    """Join tensors of one shape along a new axis.

    Args:
        tensors (tuple or list of Tensor): the tensors.
        axis (int): where the new axis is. Default: 0.

    Returns:
        Tensor, float32."""
def standard_laplace(shape: Any, seed: int | None = ...) -> Tensor:
    """Laplace numbers of mean 0 and scale 1, float32.

    ``StandardLaplace`` numbers in ``shape``.

    Args:
        shape (tuple of int): of the result.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.

    Returns:
        Tensor, float32."""
def standard_normal(shape: Any, seed: int | None = ...) -> Tensor:
    """Normal numbers of mean 0 and variance 1, float32.

    ``StandardNormal`` numbers in ``shape``.

    Args:
        shape (tuple of int): of the result.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.

    Returns:
        Tensor, float32."""
def std(input: Tensor, axis: Any = ..., ddof: int = ..., keepdims: bool = ...) -> Tensor:
    """The square root of the variance along ``axis``.

    Args:
        input (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        ddof (int): what is taken from the number of elements before dividing. Default: 0.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def std_mean(input: Tensor, axis: Any = ..., ddof: int = ..., keepdims: bool = ...) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean along ``axis``.

    Args:
        input (Tensor): what is computed on.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        ddof (int): what is taken from the number of elements before dividing. Default: 0.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        tuple of 2 Tensors, each float32."""
def stft(x: Tensor, n_fft: int, hop_length: int | None = ..., win_length: int | None = ..., window: Tensor | None = ..., center: bool = ..., pad_mode: str = ..., normalized: bool = ..., onesided: bool | None = ..., return_complex: bool | None = ...) -> Tensor:
    """Fourier transforms of overlapping frames of a signal.

    Args:
        x (Tensor): the signal, (L,) or (B, L); any dtype.
        n_fft (int): the length of a frame.
        hop_length (int | None): from one frame to the next, by default n_fft // 4.
        win_length (int | None): the length of the window, by default n_fft.
        window (Tensor | None): its weights, by default 1.
        center (bool): mirror the signal at its ends, so that frames are centred on their places.
            Default: True.
        pad_mode (str): "REFLECT". Default: 'REFLECT'.
        normalized (bool): divide by the root of n_fft. Default: False.
        onesided (bool | None): by default of a real signal.
        return_complex (bool | None): by default of a complex signal.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers, float16 and bool."""
def stop_gradient(value: Any) -> Any:
    """Return ``value`` itself, but no gradient flows back through it.

    Args:
        value (Tensor or number): what is written or filled in; any dtype.

    Returns:
        Tensor of the dtype of ``value``."""
def stop_gradient_(input: Tensor) -> None:
    """Stop gradients through ``input``, in place: from here on it is a constant.

    Args:
        input (Tensor): what is computed on.

    Returns:
        None."""
def strided_slice(input_x: Tensor, begin: Any, end: Any, strides: Any, begin_mask: int = ..., end_mask: int = ..., ellipsis_mask: int = ..., new_axis_mask: int = ..., shrink_axis_mask: int = ...) -> Tensor:
    """``input_x[begin:end:strides]``; see ``StridedSlice`` for the masks.

    Args:
        input_x (Tensor): any dtype.
        begin (tuple of int): where it starts, axis by axis.
        end (tuple of int): where it ends, axis by axis.
        strides (tuple of int): from one to the next, axis by axis.
        begin_mask (int): begin[i] is left out. Default: 0.
        end_mask (int): end[i] is left out. Default: 0.
        ellipsis_mask (int): entry i is an ellipsis (one bit at most). Default: 0.
        new_axis_mask (int): entry i is a new axis of length 1. Default: 0.
        shrink_axis_mask (int): entry i is the one index begin[i], and its axis goes. Default: 0.

    Returns:
        Tensor of the dtype of ``input_x``."""
def sub(input: Any, other: Any) -> Tensor:
    """input - other.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def subtract(input: Any, other: Any, *, alpha: Any = ...) -> Tensor:
    """Compute input - alpha * other; bools give int64.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.
        alpha (number): the factor. Default: 1.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def sum(input: Tensor, dim: Any = ..., keepdim: bool = ..., *, dtype: Any = ..., initial: Any = ...) -> Tensor:
    """The sum along ``dim``, all axes by default; integers are summed as int64.

    Args:
        input (Tensor): the tensor; any dtype.
        dim: an axis or a tuple of them. Default: None.
        keepdim (bool): keep the reduced axes with length 1. Default: False.
        dtype: what to convert ``input`` to before. Default: None.
        initial: a number to start from. Default: None.

    Returns:
        Tensor of the dtype of ``input``; int64 for int32, uint8 and bool."""
def svd(input: Tensor, full_matrices: bool = ..., compute_uv: bool = ...) -> Any:
    """input = u @ diag(s) @ v^H: the singular values s, from the greatest, and u and v.

    Args:
        input (Tensor): what is computed on.
        full_matrices (bool): make u and v square. Default: False.
        compute_uv (bool): False computes s only. Default: True.

    Returns:
        tuple of 3 Tensors, each float32."""
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Swap two axes of ``input``.

    Args:
        input (Tensor): any dtype.
        axis0 (int): one of the two axes.
        axis1 (int): one of the two axes.

    Returns:
        Tensor of the dtype of ``input``."""
def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap two axes of ``input``.

    Args:
        input (Tensor): any dtype.
        dim0 (int): one of the two axes.
        dim1 (int): one of the two axes.

    Returns:
        Tensor of the dtype of ``input``."""
def swiglu(input: Tensor, dim: int = ...) -> Tensor:
    """Multiply silu of the first half of ``input`` along ``dim`` by the second half.

    Args:
        input (Tensor): floats.
        dim (int): the axis that is halved. Default: -1.

    Returns:
        Tensor of the dtype of ``input``."""
def t(input: Tensor) -> Tensor:
    """Transpose a matrix; tensors with another number of axes are returned as they are.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements at ``index`` of the flattened tensor.

    Args:
        input (Tensor): integers.
        index (Tensor): whole numbers that say where.

    Returns:
        Tensor of the dtype of ``input``."""
def tan(input: Tensor) -> Tensor:
    """The tangent of input (radians).

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent of input.

    Args:
        input (Tensor): floats and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def tanh_(input: Tensor) -> Tensor:
    """Make ``input`` the hyperbolic tangent of itself; returns it.

    Args:
        input (Tensor): floats and complex64.

    Returns:
        Tensor of the dtype of ``input``."""
def tanhshrink(input: Tensor) -> Tensor:
    """Compute input - tanh(input).

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def tensor_add(input: Any, other: Any) -> Tensor:
    """input + other.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def tensor_div(x: Any, y: Any) -> Tensor:
    """x / y; of integers without its fraction (``Div`` gives floats).

    Args:
        x (Tensor): any dtype.
        y (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``x``; int64 for bool."""
def tensor_dot(x1: Tensor, x2: Tensor, axes: Any) -> Tensor:
    """Sum of products over ``axes``: a number of axes, or the axes of each tensor.

    Args:
        x1 (Tensor): one of the two that are put together; any dtype.
        x2 (Tensor): one of the two that are put together.
        axes (tuple of int): the axes along which it works; negative ones count from the last.

    Returns:
        Tensor of the dtype of ``x1``."""
def tensor_exp(input: Tensor) -> Tensor:
    """e^input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def tensor_expm1(input: Tensor) -> Tensor:
    """e^input - 1, exact for small input.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def tensor_floordiv(x: Any, y: Any) -> Tensor:
    """The floor of x / y.

    Args:
        x (Tensor): floats, integers and bool.
        y (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``x``; int64 for bool."""
def tensor_ge(input: Any, other: Any) -> Tensor:
    """input >= other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def tensor_gt(input: Any, other: Any) -> Tensor:
    """input > other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def tensor_le(input: Any, other: Any) -> Tensor:
    """input <= other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def tensor_lt(input: Any, other: Any) -> Tensor:
    """input < other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor, bool."""
def tensor_mod(x: Any, y: Any) -> Tensor:
    """x - y * floor(x / y), with the sign of y.

    Args:
        x (Tensor): floats, integers and bool.
        y (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``x``; int64 for bool."""
def tensor_mul(input: Any, other: Any) -> Tensor:
    """input * other.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def tensor_muls(input: Any, other: Any) -> Tensor:
    """input * other.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def tensor_pow(input: Any, exponent: Any) -> Tensor:
    """input^exponent.

    Args:
        input (Tensor): any dtype.
        exponent (Tensor or number): the power.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def tensor_range(start: Any, end: Any, step: Any, maxlen: int = ...) -> Tensor:
    """Return start, start + step, ... below ``end``, at most ``maxlen`` of them.

    Args:
        start (number): the first.
        end (number): where it ends.
        step (number): from one to the next.
        maxlen (int): the greatest length that is allowed. Default: 1000000.

    Returns:
        Tensor, int64."""
def tensor_scatter_add(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """``input_x`` with ``updates`` added at coordinates.

    Args:
        input_x (Tensor): what the updates go into; int32 and int64.
        indices (Tensor): which elements: the last axis holds one position each.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.

    Returns:
        Tensor of the dtype of ``input_x``."""
def tensor_scatter_div(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """``input_x`` divided by ``updates`` at coordinates.

    Args:
        input_x (Tensor): what the updates go into; any dtype.
        indices (Tensor): which elements: the last axis holds one position each.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.

    Returns:
        Tensor of the dtype of ``input_x``."""
def tensor_scatter_elements(input_x: Tensor, indices: Tensor, updates: Tensor, axis: int = ..., reduction: str = ...) -> Tensor:
    """``input_x`` with ``updates`` put (or added, ...) at ``indices`` along ``axis``.

    Args:
        input_x (Tensor): what the updates go into; int32 and int64.
        indices (Tensor): which elements: the last axis holds one position each.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.
        axis (int): the axis that the indices count along. Default: 0.
        reduction (str): "mean", "sum" or "none": what is done with the losses of all elements.
            Default: 'none'.

    Returns:
        Tensor of the dtype of ``input_x``."""
def tensor_scatter_max(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The greater of ``input_x`` and ``updates`` at coordinates.

    Args:
        input_x (Tensor): what the updates go into; int32 and int64.
        indices (Tensor): which elements: the last axis holds one position each.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.

    Returns:
        Tensor of the dtype of ``input_x``."""
def tensor_scatter_min(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The lesser of ``input_x`` and ``updates`` at coordinates.

    Args:
        input_x (Tensor): what the updates go into; int32 and int64.
        indices (Tensor): which elements: the last axis holds one position each.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.

    Returns:
        Tensor of the dtype of ``input_x``."""
def tensor_scatter_mul(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """``input_x`` multiplied by ``updates`` at coordinates.

    Args:
        input_x (Tensor): what the updates go into; int32 and int64.
        indices (Tensor): which elements: the last axis holds one position each.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.

    Returns:
        Tensor of the dtype of ``input_x``."""
def tensor_scatter_sub(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """``input_x`` with ``updates`` subtracted at coordinates.

    Args:
        input_x (Tensor): what the updates go into; int32 and int64.
        indices (Tensor): which elements: the last axis holds one position each.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.

    Returns:
        Tensor of the dtype of ``input_x``."""
def tensor_scatter_update(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """``input_x`` with ``updates`` at coordinates.

    Args:
        input_x (Tensor): what the updates go into; int32 and int64.
        indices (Tensor): which elements: the last axis holds one position each.
        updates (Tensor): what is written, added or compared at the indices; its shape is that of
            what the indices pick.

    Returns:
        Tensor of the dtype of ``input_x``."""
def tensor_slice(input_x: Tensor, begin: Any, size: Any) -> Tensor:
    """Return the block of ``input_x`` that starts at ``begin`` and has the lengths
    ``size``.

    Args:
        input_x (Tensor): any dtype.
        begin (tuple of int): where it starts, axis by axis.
        size (tuple of int): how long it is, axis by axis.

    Returns:
        Tensor of the dtype of ``input_x``."""
def tensor_split(input: Tensor, indices_or_sections: Any, axis: int = ...) -> tuple[Tensor, ...]:
    """Split a tensor into parts that differ in length by at most 1, or at the given
    indices.

    Args:
        input (Tensor): what is computed on.
        indices_or_sections (int or tuple of int): how many equal parts, or where to cut.
        axis (int): the axis along which it works; negative ones count from the last. Default: 0.

    Returns:
        tuple of 3 Tensors, each float64."""
def tensor_sub(input: Any, other: Any) -> Tensor:
    """input - other.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; int64 for bool."""
def tensordump(file_name: str, tensor: Tensor, mode: str = ...) -> None:
    """Write ``tensor`` to a numbered ``.npy`` file.

    Args:
        file_name (str): the file, to which a number is added.
        tensor (Tensor): what is written.
        mode (str): "out", "in" or "all". Default: 'out'.

    Returns:
        None."""
def threshold(input: Tensor, thr: float, value: float) -> Tensor:
    """Return ``input`` where it is greater than ``thr``, else ``value``.

    Args:
        input (Tensor): floats, integers and bool.
        thr (float): the bound.
        value (float): what replaces the elements that are not above the bound.

    Returns:
        Tensor of the dtype of ``input``."""
def tile(input: Tensor, dims: Any) -> Tensor:
    """Repeat ``input`` ``dims[i]`` times end to end along axis i.

    Args:
        input (Tensor): any dtype.
        dims (tuple of int): how often, axis by axis.

    Returns:
        Tensor of the dtype of ``input``."""
def top_k(input_x: Tensor, k: int, sorted: bool = ...) -> tuple[Tensor, Tensor]:
    """The ``k`` greatest elements along the last axis, and where they were.

    Args:
        input_x (Tensor): what is computed on.
        k (int): how many.
        sorted (bool): False leaves all elements, if ``k`` is their number, where they are. Default:
            True.

    Returns:
        tuple of 2 Tensors, float32, int32."""
def topk(input: Tensor, k: int, dim: int | None = ..., largest: bool = ..., sorted: bool = ...) -> tuple[Tensor, Tensor]:
    """The ``k`` greatest (or least) elements along ``dim`` (the last axis), and where they were.

    Args:
        input (Tensor): what is computed on.
        k (int): how many.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        largest (bool): whether the greatest are taken, not the smallest. Default: True.
        sorted (bool): False leaves all elements, if ``k`` is their number, where they are. Default:
            True.

    Returns:
        tuple of 2 Tensors, float32, int32."""
def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def transpose(input: Tensor, dims: Any) -> Tensor:
    """Return the tensor with its axes in the order ``dims``.

    Args:
        input (Tensor): any dtype.
        dims (tuple of int): the axes along which it works; negative ones count from the last.

    Returns:
        Tensor of the dtype of ``input``."""
def trapz(y: Tensor, x: Tensor | None = ..., *, dx: float = ..., dim: int = ...) -> Tensor:
    """The integral of ``y`` along ``dim`` by the trapezoidal rule, at points ``x`` or ``dx`` apart.

    Args:
        y (Tensor): the heights; any dtype.
        x (Tensor): where the points are. Default: None.
        dx (float): from one point to the next, where ``x`` is None. Default: 1.0.
        dim (int): the axis along which it works; negative ones count from the last. Default: -1.

    Returns:
        Tensor of the dtype of ``y``; float32 for integers, float64 and bool."""
def tril(input: Tensor, diagonal: int = ...) -> Tensor:
    """The elements on and below ``diagonal``, zeros above.

    Args:
        input (Tensor): any dtype.
        diagonal (int): which diagonal is the border. Default: 0.

    Returns:
        Tensor of the dtype of ``input``."""
def tril_indices(row: int, col: int, offset: int = ..., *, dtype: Any = ...) -> Tensor:
    """Return rows and columns of the elements on or below diagonal ``offset`` of a matrix.

    Args:
        row (int): how many there are.
        col (int): how many there are.
        offset (int): which diagonal is the border. Default: 0.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: mindspore.int64.

    Returns:
        Tensor, int64."""
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = ..., p: int = ..., eps: float = ..., swap: bool = ..., reduction: str = ...) -> Tensor:
    """max(0, |anchor - positive| - |anchor - negative| + margin) with p-norms along axis 1, reduced.

    Args:
        anchor (Tensor): what both are compared with; floats, integers and bool.
        positive (Tensor): what should be near.
        negative (Tensor): what should be far.
        margin (float): how far apart the right and the wrong ones have to be. Default: 1.0.
        p (int): of the norm, >= 1; 0 counts the elements that are not 0. Default: 2.
        eps (float): added to each difference. Default: 1e-06.
        swap (bool): use |positive - negative| where it is smaller than |x - negative|. Default:
            False.
        reduction (str): "mean", "sum" or "none". Default: 'mean'.

    Returns:
        Tensor of the dtype of ``anchor``; float32 for integers and bool."""
def triu(input: Tensor, diagonal: int = ...) -> Tensor:
    """The elements on and above ``diagonal``, zeros below.

    Args:
        input (Tensor): any dtype.
        diagonal (int): which diagonal is the border. Default: 0.

    Returns:
        Tensor of the dtype of ``input``."""
def triu_indices(row: int, col: int, offset: int = ..., *, dtype: Any = ...) -> Tensor:
    """Return rows and columns of the elements on or above diagonal ``offset`` of a matrix.

    Args:
        row (int): how many there are.
        col (int): how many there are.
        offset (int): which diagonal is the border. Default: 0.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: mindspore.int64.

    Returns:
        Tensor, int64."""
def true_divide(dividend: Any, divisor: Any) -> Tensor:
    """dividend / divisor; integers are divided as float32.

    Args:
        dividend (Tensor or number): what is divided; any dtype.
        divisor (Tensor or number): what it is divided by.

    Returns:
        Tensor of the dtype of ``dividend``; float32 for integers and bool."""
def trunc(input: Tensor) -> Tensor:
    """input without its fraction.

    Args:
        input (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``input``."""
def truncate_div(x: Any, y: Any) -> Tensor:
    """x / y without its fraction.

    Args:
        x (Tensor): floats, integers and bool.
        y (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``x``; int64 for bool."""
def truncate_mod(x: Any, y: Any) -> Tensor:
    """The remainder of x / y truncated, with the sign of x.

    Args:
        x (Tensor): floats, integers and bool.
        y (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``x``; int64 for bool."""
def tuple_len(x: Any) -> int:
    """Return the length of a tuple.

    Args:
        x (Tensor): what is computed on.

    Returns:
        int."""
def tuple_to_array(input_x: Any) -> Tensor:
    """A tuple as a tensor: int32 if it begins with an int, else (also for nested tuples) float32.

    Args:
        input_x (Tensor): what is computed on.

    Returns:
        Tensor, int32."""
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """Cast ``input`` to the dtype of ``other``.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def unbind(input: Tensor, dim: int = ...) -> tuple[Tensor, ...]:
    """Return the slices of ``input`` along ``dim``, without that axis.

    Args:
        input (Tensor): what is computed on.
        dim (int): the axis along which it works; negative ones count from the last. Default: 0.

    Returns:
        tuple of 3 Tensors, each float32."""
def unfold(input: Tensor, kernel_size: Any, dilation: Any = ..., padding: Any = ..., stride: Any = ...) -> Tensor:
    """Sliding blocks of an image as columns: (N, C, H, W) -> (N, C*KH*KW, OH*OW).

    Args:
        input (Tensor): any dtype.
        kernel_size (int or tuple of int): the window, one number or one for each axis.
        dilation (int or tuple of int): how far apart the elements of a window are. Default: 1.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            1.

    Returns:
        Tensor of the dtype of ``input``."""
def uniform(shape: Any, minval: Any, maxval: Any, seed: int | None = ..., dtype: Any = ...) -> Tensor:
    """Numbers from [minval, maxval); whole ones with dtype int32.

    Args:
        shape (tuple of int): of the result.
        minval (number): the least that is drawn; integers.
        maxval (number): the bound that is not reached.
        seed (int): makes the draws repeat; with 0 or None the global seed decides. Default: None.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: mindspore.float32.

    Returns:
        Tensor, int32."""
def uniform_(input: Tensor, from_: Any = ..., to: Any = ..., *, generator: Any = ...) -> Tensor:
    """Make ``input`` numbers drawn evenly from [``from_``, ``to``); returns it.

    Args:
        input (Tensor): the Tensor to fill; any dtype.
        from_: the lower end, a number or a Tensor. Default: 0.
        to: the upper end. Default: 1.
        generator: a Generator to draw from; None: the default one.

    Returns:
        Tensor of the dtype of ``input``."""
def uniform_candidate_sampler(true_classes: Tensor, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int = ..., remove_accidental_hits: bool = ...) -> tuple[Tensor, Tensor, Tensor]:
    """Class numbers drawn evenly from [0, range_max).

    Args:
        true_classes (Tensor): the true class of each.
        num_true (int): true classes per row.
        num_sampled (int): how many to draw.
        unique (bool): draw each class at most once.
        range_max (int): the number of classes.
        seed (int): 0 for the common stream. Default: 0.
        remove_accidental_hits (bool): draw no true class. Default: False.

    Returns:
        tuple of 3 Tensors, int64, float32, float32."""
def unique(input: Tensor) -> tuple[Tensor, Tensor]:
    """The distinct elements in the order in which they first occur, and which each element is.

    Args:
        input (Tensor): what is computed on.

    Returns:
        tuple of 2 Tensors, each int64."""
def unique_consecutive(input: Tensor, return_inverse: bool = ..., return_counts: bool = ..., dim: Any = ...) -> Any:
    """The elements (slices along ``dim``) that differ from the one before.

    Args:
        input (Tensor): any dtype.
        return_inverse (bool): whether the indices that rebuild the input come, too. Default: False.
        return_counts (bool): whether the number of each comes, too. Default: False.
        dim (int): the axis whose slices are compared; None compares elements. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def unique_with_pad(x: Tensor, pad_num: Any) -> tuple[Tensor, Tensor]:
    """The distinct elements filled up with ``pad_num``, and which each element is.

    Args:
        x (Tensor): what is computed on.
        pad_num (number): fills what is left.

    Returns:
        tuple of 2 Tensors, each int64."""
def unsorted_segment_max(x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """The maxima of the slices with each id.

    Args:
        x (Tensor): integers.
        segment_ids (Tensor): which segment each slice is of.
        num_segments (int): how many sums there are: ids are below it.

    Returns:
        Tensor of the dtype of ``x``."""
def unsorted_segment_min(x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """The minima of the slices with each id.

    Args:
        x (Tensor): integers.
        segment_ids (Tensor): which segment each slice is of.
        num_segments (int): how many sums there are: ids are below it.

    Returns:
        Tensor of the dtype of ``x``."""
def unsorted_segment_prod(x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """The products of the slices with each id.

    Args:
        x (Tensor): integers.
        segment_ids (Tensor): which segment each slice is of.
        num_segments (int): how many sums there are: ids are below it.

    Returns:
        Tensor of the dtype of ``x``."""
def unsorted_segment_sum(input_x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """The sums of the slices with each id.

    Args:
        input_x (Tensor): any dtype.
        segment_ids (Tensor): which segment each slice is of.
        num_segments (int): how many sums there are: ids are below it.

    Returns:
        Tensor of the dtype of ``input_x``."""
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Insert a new axis of length 1 at ``dim``.

    Args:
        input (Tensor): any dtype.
        dim (int): the axis along which it works; negative ones count from the last.

    Returns:
        Tensor of the dtype of ``input``."""
def unstack(input_x: Tensor, axis: int = ...) -> tuple[Tensor, ...]:
    """Return the slices of ``input_x`` along ``axis``, without that axis.

    Args:
        input_x (Tensor): what is computed on.
        axis (int): the axis along which it works; negative ones count from the last. Default: 0.

    Returns:
        tuple of 3 Tensors, each float32."""
def upsample(input: Tensor, size: Any = ..., scale_factor: Any = ..., mode: str = ..., align_corners: bool | None = ..., recompute_scale_factor: bool | None = ...) -> Tensor:
    """A batch of signals, images or volumes (N, C, ...) at another size.

    Args:
        input (Tensor): floats, integers and bool.
        size (tuple of int): of the output's pictures. Default: None.
        scale_factor (float or tuple of float): how many times larger. Default: None.
        mode (str): "nearest", "linear", "bilinear", "bicubic", "trilinear" or "area". Default:
            'nearest'.
        align_corners (bool): whether the centres of the corner pixels stay where they are. Default:
            None.
        recompute_scale_factor (bool): whether the factor is found anew from the output's size.
            Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def value_and_grad(fn: Callable[..., Any], grad_position: Any = ..., weights: Any = ..., has_aux: bool = ..., return_ids: bool = ..., sens_param: bool = ...) -> Callable[..., Any]:
    """Return a function that computes ``fn``'s value and its gradients.

    Args:
        fn (Callable[..., Any]): a function or Cell of tensors; what it returns is summed (with
            ``has_aux``, its first output).
        grad_position: inputs to differentiate by: an int, a tuple of ints or None. By numbers, and
            by a tuple, list or dict that is not ``mutable``, there is no gradient; that by a
            COOTensor or CSRTensor is the Tensor of the gradients by its values. Default: 0.
        weights: Parameters to differentiate by: one, a list or ParameterTuple, or None. Default:
            None.
        has_aux (bool): only the first output is differentiated, the others pass through. Default:
            False.
        return_ids (bool): return each gradient together with its position or name. Default: False.
        sens_param (bool): the last input of the result, or ``sens=``, is the cotangent of the
            output. Default: False.

    Returns:
        ``(value, gradients)``; gradients as ``grad`` gives them."""
def vander(x: Tensor, N: int | None = ...) -> Tensor:
    """Return the powers of each element, from the (N-1)-th down to the 0-th.

    Args:
        x (Tensor): the numbers whose powers are the columns; any dtype.
        N (int): how many rows. Default: None.

    Returns:
        Tensor of the dtype of ``x``; int64 for int32, uint8 and bool."""
def var(input: Tensor, axis: Any = ..., ddof: int = ..., keepdims: bool = ...) -> Tensor:
    """The variance along ``axis``: the sum of squared deviations divided by n - ddof.

    Args:
        input (Tensor): any dtype.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        ddof (int): what is taken from the number of elements before dividing. Default: 0.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def var_mean(input: Tensor, axis: Any = ..., ddof: int = ..., keepdims: bool = ...) -> tuple[Tensor, Tensor]:
    """The variance and the mean along ``axis``.

    Args:
        input (Tensor): what is computed on.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        ddof (int): what is taken from the number of elements before dividing. Default: 0.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.

    Returns:
        tuple of 2 Tensors, each float32."""
def vecdot(x: Tensor, y: Tensor, *, axis: int = ...) -> Tensor:
    """The sum of products along ``axis``; in int64 of integers with a sign, bytes and bools.

    Args:
        x (Tensor): any dtype.
        y (Tensor or number): the second operand; its shape broadcasts with that of the first.
        axis (int): the axis along which it works; negative ones count from the last. Default: -1.

    Returns:
        Tensor of the dtype of ``x``; int64 for int32, uint8 and bool."""
def vector_norm(x: Tensor, ord: float = ..., axis: Any = ..., keepdims: bool = ..., *, dtype: Any = ...) -> Tensor:
    """(sum |x|^ord)^(1/ord) along ``axis``; ord may be 0 (how many are not 0), inf and -inf.

    Args:
        x (Tensor): any dtype.
        ord (number or str): the order of the norm; "fro" and "nuc" are norms of matrices. Default:
            2.
        axis (int): the axis along which it works; negative ones count from the last. Default: None.
        keepdims (bool): whether an axis that is reduced stays, with length 1. Default: False.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """Return the elements of ``input`` in the shape of ``other``.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def view_as_real(input: Tensor) -> Tensor:
    """Return the real and imaginary parts along a new last axis.

    Args:
        input (Tensor): complex64.

    Returns:
        Tensor, float32."""
def vjp(fn: Callable[..., Any], *inputs: Any, weights: Any = ..., has_aux: bool = ...) -> tuple[Any, ...]:
    """Return the output of ``fn`` and a function that maps its cotangent to the inputs'
    gradients.

    Args:
        fn (Callable[..., Any]): a function or Cell of tensors.
        *inputs: its arguments.
        weights: Parameters to differentiate by as well: one, a list or ParameterTuple. Default:
            None.
        has_aux (bool): only the first output is differentiated, the others are returned as they
            are. Default: False.

    Returns:
        ``(output, vjp_fn)``, with ``has_aux`` ``(output, vjp_fn, aux)``; ``vjp_fn(*cotangents)`` is
        a tuple with one gradient for each input, with weights ``(by inputs, by weights)``."""
def vmap(fn: Any, in_axes: Any = ..., out_axes: Any = ...) -> Callable[..., Any]:
    """Return a function that applies ``fn`` to each slice of its inputs and stacks the
    results.

    Args:
        fn: a function or Cell; or a list of Cells, the i-th for the i-th slices.
        in_axes: the axis to slice: an int for all inputs, or a tuple with an int, None (the input
            goes whole to every call) or nested tuple for each. Default: 0.
        out_axes: where the new axis goes in the outputs: an int, or a tuple with one for each.
            Default: 0.

    Returns:
        function."""
def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """``tensor_split`` along axis 0.

    Args:
        input (Tensor): what is computed on.
        indices_or_sections (int or tuple of int): how many equal parts, or where to cut.

    Returns:
        tuple of 2 Tensors, each int64."""
def vstack(inputs: Any) -> Tensor:
    """Join tensors one below the other: along axis 0, vectors as rows.

    Args:
        inputs (Tensor, or tuple or list of Tensor): what is computed on.

    Returns:
        Tensor, int64."""
def where(condition: Tensor, input: Any, other: Any) -> Tensor:
    """``input`` where ``condition`` holds, else ``other``.

    Args:
        condition (Tensor): bool; what to choose by.
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``."""
def xdivy(x: Any, y: Any) -> Tensor:
    """x / y, and 0 where x is 0.

    Args:
        x (Tensor): any dtype.
        y (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``x``; float32 for integers and bool."""
def xlogy(input: Any, other: Any) -> Tensor:
    """input * log(other), and 0 where input is 0 and other a number.

    ``Xlogy`` of ``input`` and ``other``; a number is a float32.

    Args:
        input (Tensor): any dtype.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def zero_(input: Tensor) -> Tensor:
    """Make ``input`` 0 everywhere; returns it.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def zeros(size: Any, dtype: Any = ...) -> Tensor:
    """Return zeros in the shape ``size``, float32 by default.

    Args:
        size (tuple of int): of the result.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor, int32."""
def zeros_like(input: Tensor, *, dtype: Any = ...) -> Tensor:
    """Return zeros in the shape of ``input``, in its dtype or ``dtype``.

    Args:
        input (Tensor): any dtype.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def zeta(input: Any, other: Any) -> Tensor:
    """Hurwitz' zeta: the sum over k >= 0 of (k + other)^-input. Differentiable by other.

    Args:
        input (Tensor): floats, integers and bool.
        other (Tensor or number): the second operand; its shape broadcasts with that of the first.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""

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
    "RowsOfPivots",
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
